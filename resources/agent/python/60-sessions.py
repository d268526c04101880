# ── One session's directory, read side ──
def number_argument(what, value):
    if value is None or not re.fullmatch(rb"[0-9]{1,15}", value):
        bad_request("the %s is no number" % what)
    return int(value)


def absolute_argument(what, value):
    if not value or not value.startswith(b"/") or b"\0" in value:
        bad_request("the %s is no absolute path" % what)
    return value


def word_argument(what, value, pattern=rb"[A-Za-z0-9_.-]{1,100}"):
    if value is None or not re.fullmatch(pattern, value):
        bad_request("that is no %s" % what)
    return value


def bell_of(directory):
    """The door bell for writing; None when nobody listens, which is how a dead supervisor shows."""
    try:
        return os.open(directory + b"/in", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None


def ring(bell):
    try:
        os.write(bell, b"\n")
    except BlockingIOError:
        pass  # a full bell has rung already
    except BrokenPipeError:
        pass  # the supervisor ended since the bell was opened; who waits for it asks whether it still listens
    finally:
        os.close(bell)


def listened(directory):
    bell = bell_of(directory)
    if bell is None:
        return False
    os.close(bell)
    return True


def exit_code(directory):
    """Text of the code, empty when it cannot be read; None when there is no such file."""
    text = slurp(directory + b"/exit", 4096)
    if text is None:
        return None
    found = re.search(rb"^code=([0-9]{1,3})$", text, re.MULTILINE)
    return found.group(1) if found else b""


def life_of(directory):
    """(life, exit code of an ended one)"""
    code = exit_code(directory)
    if code is None and listened(directory):
        return ("alive", b"")
    if code is None:
        code = exit_code(directory)  # it may have ended between the two looks
    return ("lost", b"") if code is None else ("ended", code)


def low_of(directory):
    found = re.match(rb"\s*([0-9]{1,15})", slurp(directory + b"/low", 64) or b"")
    return int(found.group(1)) if found else 0


def meta_of(directory):
    text = slurp(directory + b"/meta", 65536)
    if text is None:
        return None
    return dict(line.split(b"=", 1) for line in text.split(b"\n") if b"=" in line)


def no_session(directory):
    return Refusal("session_not_found", b"There is no session in %s." % directory)


def inbox_of(directory):
    """(highest number ever accepted, names of the inputs not fully delivered)"""
    accepted, pending = 0, []
    for name in names_in(directory + b"/inbox"):
        found = re.fullmatch(rb"([0-9]{16})(\.done)?", name)
        if found:
            accepted = max(accepted, int(found.group(1)))
            if not found.group(2):
                pending.append(name)
    return accepted, pending


def last_command(directory):
    return max([int(name) for name in names_in(directory + b"/cmd") if re.fullmatch(rb"[0-9]{1,15}", name)] or [0])


def op_identify(request, directory, _body):
    absolute_argument("directory", directory)
    meta = slurp(directory + b"/meta", 65536)
    if meta is None:
        raise no_session(directory)
    answer_body(request, [first_line(directory + b"/nonce")], meta)


most_marks = 262144
most_processes = 200


def op_look(request, directory, start, want_processes, _body):
    absolute_argument("directory", directory)
    start = number_argument("place in the marks", start)
    meta = meta_of(directory)
    if meta is None:
        raise no_session(directory)
    boot = first_line("/proc/sys/kernel/random/boot_id")
    rebooted = bool(meta.get(b"boot") and boot and meta[b"boot"] != boot)
    line_mode, echo, rows = b"", b"", []
    if want_processes not in (b"", b"0"):
        line_mode, echo = terminal_mode(meta.get(b"tty"))
        rows = foreground_lines(meta)[:most_processes]
    life, code = life_of(directory)
    accepted, pending = inbox_of(directory)
    command = last_command(directory)
    sent = about_or_none(directory + b"/cmd/%d" % command) if command else None
    age = max(0, round(time.time() * 1000 - sent.st_mtime_ns / 1e6)) if sent else 0
    marks, more = marks_from(directory, start)
    try:
        log = about(directory + b"/spool")
    except OSError as error:
        raise session_refusal(directory, error)
    if life != "alive":
        line_mode, echo, rows = b"", b"", []
    answer_body(
        request,
        [meta.get(b"id"), life, code, rebooted, log.st_size, milliseconds(log.st_mtime_ns), low_of(directory),
         exists(directory + b"/full"), accepted, len(pending), command, age, line_mode, echo, len(rows), more],
        marks + b"".join(rows),
    )


def marks_from(directory, start):
    """Whole lines only; (bytes, whether there is more)."""
    try:
        with Opened(directory + b"/marks", os.O_RDONLY) as fd:
            text = os.pread(fd, most_marks, start)
    except OSError:
        return b"", False
    return text[:text.rfind(b"\n") + 1], len(text) == most_marks


def op_read(request, directory, offset, most, _body):
    absolute_argument("directory", directory)
    offset = number_argument("offset", offset)
    most = min(number_argument("number of bytes", most), max_body)
    try:
        with Opened(directory + b"/spool", os.O_RDONLY) as fd:
            data = read_at(fd, offset, most)
            size = about(fd).st_size
    except OSError as error:
        raise session_refusal(directory, error)
    low = low_of(directory)
    # Bytes below `low` may be gone; nothing is better than zeros.
    answer_body(request, [offset, size, low], b"" if low > offset else data)


def op_directories(request, root, _body):
    absolute_argument("root", root)
    names = sorted(name for name in names_in(root) if not name.startswith(b".") and os.path.isdir(root + b"/" + name))
    room, fields = max_header - 1024, []
    while names and room > len(escape_field(names[0])):
        room -= 1 + len(escape_field(names[0]))
        fields.append(names.pop(0))
    answer_body(request, fields, b"".join(name + b"\n" for name in names))
