# ── Sessions begin, end and give space back ──
helper_arguments = {b"perl": [b"perl", b"-"], b"python3": [b"python3", b"-I", b"-"]}
bash_places = [b"/bin/bash", b"/usr/bin/bash", b"/usr/local/bin/bash", b"/opt/homebrew/bin/bash"]


def find_bash():
    places = [part + b"/bash" for part in os.environb.get(b"PATH", b"").split(b":") if part.startswith(b"/")]
    for path in bash_places + places:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return b""


class Order:
    """What a session is started with."""


def session_environment(order):
    environment = clean_environment()
    if not environment.get(b"PATH"):
        environment[b"PATH"] = b"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    environment.setdefault(b"HOME", home_directory())
    if b"LC_ALL" not in environment:
        environment.setdefault(b"LANG", b"C.UTF-8")
    add_given(environment, order.given)
    environment[b"TERM"] = b"xterm-256color"
    environment[b"WAYMARK_NONCE"] = order.nonce
    environment[b"WAYMARK_SESSION"] = order.session
    environment[b"WAYMARK_PROFILE"] = b"1" if order.profile not in (b"", b"0") else b"0"
    environment[b"WAYMARK_LIMIT"] = b"%d" % order.limit
    return environment


def op_start(request, directory, session, nonce, file, rows, cols, cwd, profile, limit, kinds, *given):
    order = Order()
    order.id = request
    order.directory = absolute_argument("directory", directory)
    order.session = word_argument("id of a session", session)
    order.nonce = word_argument("nonce", nonce, rb"[A-Za-z0-9_]{1,100}")
    word_argument("name of a resource", file, rb"\.resource-[0-9a-f]{64}")
    number_argument("size", rows)
    number_argument("size", cols)
    order.cwd = absolute_argument("working directory", cwd)
    order.profile = profile
    order.limit = number_argument("limit", limit)
    order.kinds = [kind.split(b":") for kind in kinds.split(b",")] if kinds else []
    for kind in order.kinds:
        if len(kind) != 2 or kind[0] not in helper_arguments or not re.fullmatch(rb"[0-9a-f]{64}", kind[1]):
            bad_request("a kind of supervisor is written perl:<sha256> or python3:<sha256>")
    order.given = given[:-1]  # without the body
    order.root = base_path()
    start_file = order.root + b"/" + file
    if not exists(start_file):
        bad_request(b"there is no resource %s" % file)
    bash = find_bash()
    if not bash:
        raise Refusal("shell_missing", "Sessions need bash, and none was found. Install bash.")
    if not order.limit:
        free = disk_space(parent_of(directory))[0]
        order.limit = max(1 << 20, min(8 << 30, free // 2 or 8 << 30))
    order.arguments = [directory, rows, cols, order.cwd, start_file, bash]
    order.failures = []
    order.problem = ""
    order.environment = session_environment(order)
    next_kind(order)


def next_kind(order):
    """Starts the next kind of supervisor there is; what it says decides."""
    if not order.kinds and order.problem:
        return refuse_request(order.id, order.problem, b"; ".join(order.failures))
    if not order.kinds:
        text = "Sessions need perl (with its POSIX module) or python3, and neither could be started. Install perl."
        return refuse_request(order.id, "supervisor_missing", text, b"; ".join(order.failures))
    name, digest = order.kinds.pop(0)
    source = slurp(order.root + b"/.resource-" + digest)
    if not source:
        order.failures.append(b"%s: its program is not in %s" % (name, order.root))
        return next_kind(order)
    command = helper_arguments[name] + order.arguments
    done = lambda program: supervisor_said(order, name, program)
    return spawn(command, order.environment, b"/", 4096, done, feed=source, line=True)


def supervisor_said(order, name, program):
    found = re.search(rb"^(OK|ERR) (\S+) ?(.*)", program.buffer, re.MULTILINE)
    verdict, code, text = found.groups() if found else (b"", b"", b"")
    if verdict == b"OK":
        return answer(order.id, "started")
    if code == b"session_exists":
        return same_order(order, monotonic() + 2)
    if code == b"cwd_missing":
        message = b"The directory %s cannot be entered: %s." % (order.cwd, text)
        return refuse_request(order.id, "cwd_missing", message, text)
    if code == b"shell_missing":
        return refuse_request(order.id, "shell_missing", b"Sessions need bash: %s. Install bash." % text)
    if code == b"io":  # it ran; what went wrong is not that it is missing
        order.problem = "no_space" if re.search(rb"No space left|quota", program.buffer) else "io"
    line = program.buffer.strip().partition(b"\n")[0] or b"it could not be started"
    order.failures.append(name + b": " + line)
    return next_kind(order)


def same_order(order, until):
    """A directory of that name is there. It is this very order's when an earlier try went through and its answer was lost."""
    meta = meta_of(order.directory)
    if meta is not None:
        return answer(order.id, "started" if meta.get(b"id") == order.session else "exists")
    there = about_or_none(order.directory)
    # It may be in the making right now.
    if not there or monotonic() > until or there.st_mtime < time.time() - 10:
        return answer(order.id, "exists")
    return later(0.02, lambda: same_order(order, until))


def op_clear(request, directory, _body):
    absolute_argument("directory", directory)
    try:
        there = about(directory, True)
    except FileNotFoundError:
        return answer(request, True)
    abandoned = there.st_mtime < time.time() - 10 and not exists(directory + b"/meta") and not listened(directory)
    if abandoned:
        remove_tree(directory)
    return answer(request, abandoned)


def op_archive(request, directory, root, session, _body):
    absolute_argument("directory", directory)
    absolute_argument("root", root)
    kept = root + b"/.closed-" + word_argument("id of a session", session)
    meta = meta_of(directory)
    if meta is not None and meta.get(b"id") == session:
        os.rename(directory, kept)
    elif not exists(kept):
        raise no_session(directory)
    answer(request)


def op_discard(request, root, before, _body):
    absolute_argument("root", root)
    before = float(word_argument("time", before, rb"[0-9]{1,15}(?:\.[0-9]+)?"))
    count = 0
    for name in names_in(root):
        if not name.startswith(b".closed-") and b".failed." not in name:
            continue
        # A rename sets the change time: the moment of closing.
        there = about_or_none(root + b"/" + name, True)
        if not there or int(there.st_ctime) * 1000 >= before:
            continue
        remove_tree(root + b"/" + name)
        count += name.startswith(b".closed-")
    answer(request, count)


# ── Giving back the log's oldest bytes, as supervisor.pl does it ──
def op_drop(request, directory, wish, _body):
    absolute_argument("directory", directory)
    wish = number_argument("offset", wish)
    if not exists(directory + b"/spool"):
        raise no_session(directory)
    low = low_of(directory)
    if exists(directory + b"/nopunch") or wish <= low:
        return answer(request, low)
    if Way.in_worker:
        return answer(request, drop_to(directory, wish))
    bell = bell_of(directory)
    if bell is None:
        return drop_alone(request, directory, wish)
    try:
        draft = directory + b"/.want-low." + random_hex(6)
        # A link takes no block: on a full disk this is what helps.
        os.symlink(b"%d" % wish, draft)
        os.rename(draft, directory + b"/want-low")
    except OSError:
        os.close(bell)
        raise
    ring(bell)
    return dropped_soon(request, directory, wish, monotonic() + 2)


def drop_alone(request, directory, wish):
    give_worker("slow", Request(request, b"drop", frame([request, b"drop", directory, wish])))


def dropped_soon(request, directory, wish, until):
    """The supervisor takes the wish away when it has seen to it; one that was about to end may not have seen it."""
    if not os.path.islink(directory + b"/want-low") or monotonic() > until:
        return answer(request, low_of(directory))
    if not listened(directory):
        try:
            os.unlink(directory + b"/want-low")
        except FileNotFoundError:
            pass  # seen to after all
        return drop_alone(request, directory, wish)
    return later(0.01, lambda: dropped_soon(request, directory, wish, until))


def punch_hole(fd, start, length):
    call = getattr(libc, "fallocate64", None) or getattr(libc, "fallocate", None)
    return bool(call) and call(fd, 3, ctypes.c_int64(start), ctypes.c_int64(length)) == 0


def drop_to(directory, wish):
    with Opened(directory + b"/spool", os.O_RDWR) as fd:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return low_of(directory)  # whoever holds the lock sees to it
        low = low_of(directory)
        wish = min(wish, about(fd).st_size)
        wish -= wish % 4096
        if wish <= low or not libc:
            return low
        # Readers learn the number before the bytes are gone; `low.new` is there already, so a full disk is no obstacle.
        with Opened(directory + b"/low.new", os.O_WRONLY | os.O_CREAT) as number:
            write_all(number, b"%-31d\n" % wish)
        for step, source, target in (os.link, b"low", b"low.old"), (os.rename, b"low.new", b"low"), (os.rename, b"low.old", b"low.new"):
            try:
                step(directory + b"/" + source, directory + b"/" + target)
            except OSError:
                if target == b"low":
                    raise
        punch_hole(fd, low, wish - low)
        return wish
