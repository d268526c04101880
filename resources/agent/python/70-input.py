# ── What goes into a session ──
most_pending = 8 * 1048576
staged = {}


def op_stage(request, key, offset, body):
    word_argument("key", key)
    offset = number_argument("offset", offset)
    if offset + len(body) > most_pending:
        bad_request("more than 8 MB cannot be staged")
    have = staged.get(key, b"")
    if offset > len(have):
        bad_request("%d bytes are staged, and more came for offset %d" % (len(have), offset))
    if key not in staged:
        if len(staged) >= 16:
            bad_request("too much is staged")
        staged[key] = bytearray()
    staged[key][offset:] = body
    answer(request)


def staged_or(key, body):
    """The body of a request, or what was put together for it before."""
    if not key:
        return body
    if key not in staged:
        bad_request("nothing is staged under that key")
    return bytes(staged.pop(key))


def must_listen(directory):
    # Not the bell alone: a supervisor that has written how its shell ended still listens for a moment.
    life = life_of(directory)[0]
    if life == "alive":
        return
    if life == "ended":
        raise Refusal("session_ended", "The session has ended. Close it and create it again.")
    if not exists(directory + b"/meta"):
        raise no_session(directory)
    raise session_lost()


def session_lost():
    return Refusal("session_lost", "The session was lost. Close it and create it again.")


def must_fit(directory, more, pending):
    waits = 0
    for name in pending:
        there = about_or_none(directory + b"/inbox/" + name)
        waits += there.st_size if there else 0
    if waits + more > most_pending:
        text = "The program in the session has not read %d bytes of earlier input. Wait for it or stop it." % waits
        raise Refusal("input_full", text, waits)


def op_input(request, directory, wanted, key, body):
    absolute_argument("directory", directory)
    wanted = number_argument("number of the input", wanted)
    data = staged_or(key, body)
    accepted, pending = inbox_of(directory)
    if wanted and wanted <= accepted:
        return answer(request, wanted, False)
    must_listen(directory)
    must_fit(directory, len(data), pending)
    draft = directory + b"/inbox/." + random_hex(8)
    put_new(draft, data)
    try:
        taken = take_number(directory, draft, wanted, accepted)
    finally:
        unlink_quietly(draft)
    return answer(request, taken or wanted, taken is not None)


def take_number(directory, draft, wanted, accepted):
    """Gives a draft a number nobody has and rings; None when the wanted number is gone."""
    number = wanted or accepted + 1
    while True:
        place = directory + b"/inbox/%016d" % number
        try:
            os.link(draft, place)
            break
        except FileExistsError:
            if wanted:
                return None
            number += 1
    bell = bell_of(directory)
    if bell is None:
        unlink_quietly(place)
        must_listen(directory)
        raise session_lost()
    ring(bell)
    return number


def op_command(request, directory, number, token, line, echo_length, key, body):
    """
    The text goes to cmd/ under the caller's token, takes its number by a link, and then the line that loads it is typed.
    Whatever broke off is gone on with when the same token asks again.
    """
    absolute_argument("directory", directory)
    number = number_argument("number of the command", number)
    if number < 1:
        bad_request("commands are numbered from 1 on")
    word_argument("token", token, rb"[A-Za-z0-9_-]{1,100}")
    if not line:
        bad_request("there is no line to type")
    data = staged_or(key, body)
    echo_length = number_argument("length of the echo", echo_length)
    if echo_length > len(data):
        bad_request("the echo is longer than what came")
    if not exists(directory + b"/cmd"):
        raise no_session(directory)
    draft, place = directory + b"/cmd/." + token, directory + b"/cmd/%d" % number
    mine, there = about_or_none(draft), about_or_none(place)
    again = mine and there and mine.st_ino == there.st_ino
    taken = Refusal("taken", "Another command has that number.")
    if not again and last_command(directory) >= number:
        raise taken
    if not again:
        must_listen(directory)
        must_fit(directory, len(line), inbox_of(directory)[1])
        put_over(draft + b".line", line)
        put_over(draft, data[echo_length:])
        try:
            os.link(draft, place)
        except OSError as error:
            unlink_quietly(draft, draft + b".line")
            raise taken if error.errno == errno.EEXIST else file_refusal(error)
    typed = about_or_none(draft + b".line")
    if typed and typed.st_size > 0 and typed.st_nlink == 1:
        put_over(place + b".echo", data[:echo_length])  # in place before the line that reads it
        try:
            take_number(directory, draft + b".line", 0, inbox_of(directory)[0])
        except (Refusal, OSError):
            unlink_quietly(place, place + b".echo", draft, draft + b".line")
            raise
    forget_commands(directory + b"/cmd/", number, token)
    answer(request, "sent")


def forget_commands(cmd, number, token):
    """The texts of earlier commands are not needed any more, nor what was begun and given up."""
    names = names_in(cmd)
    old = set()
    for name in names:
        found = re.fullmatch(rb"([0-9]+)(?:\.echo)?", name)
        if found and int(found.group(1)) < number:
            there = about_or_none(cmd + name)
            old.add(there.st_ino if there else None)
            unlink_quietly(cmd + name)
    for name in names:
        if not re.fullmatch(rb"\.[A-Za-z0-9_-]+", name) or name[1:] == token:
            continue
        there = about_or_none(cmd + name)
        given_up = there and there.st_nlink == 1 and there.st_mtime < time.time() - 60
        if there and (given_up or there.st_ino in old):
            unlink_quietly(cmd + name, cmd + name + b".line")
