# ── The processes behind a session, from /proc ──
terminal_reads = (b"wait_woken", b"n_tty_read", b"tty_read")
poll_places = (b"poll_schedule_timeout", b"do_select", b"do_sys_poll", b"ep_poll", b"do_epoll_wait")
# System call numbers of read and readv, and of poll, select, epoll_wait and their newer forms.
if machine == "x86_64":
    read_calls, poll_calls = (0, 19), (7, 23, 232, 270, 271, 281, 441)
elif machine in ("aarch64", "riscv64", "loongarch64"):
    read_calls, poll_calls = (63, 65), (22, 72, 73, 441)
else:
    read_calls, poll_calls = None, ()


class Row:
    """One process; see proc(5)."""

    def __init__(self, pid, name, fields):
        self.pid = pid
        self.name = name
        self.stat = fields[0]
        self.parent = int(fields[1])
        self.group = int(fields[2])
        self.session = int(fields[3])
        self.foreground = int(fields[5])
        self.start = fields[19]


def process_row(pid):
    text = slurp("/proc/%d/stat" % pid, 4096)
    # The name may hold spaces and brackets: fields count from the last one.
    found = re.match(rb"[0-9]+ \((.*)\) (.*)", text or b"", re.DOTALL)
    return Row(pid, found.group(1), found.group(2).split()) if found else None


def all_rows():
    rows = [process_row(int(name)) for name in names_in("/proc") if name.isdigit()]
    return [row for row in rows if row]


def command_line(row):
    text = (slurp("/proc/%d/cmdline" % row.pid, 1000) or b"").rstrip(b"\0")
    return text.replace(b"\0", b" ") if text else b"[%s]" % row.name


def same_process(pid, start):
    """The process of that number, unless the number belongs to another one now."""
    if not pid or not re.fullmatch(rb"[1-9][0-9]{0,9}", pid):
        return None
    row = process_row(int(pid))
    return row if row and row.start == start and row.stat != b"Z" else None


def process_line(row, blocked_in, is_shell):
    return joined_fields(
        row.pid, row.parent, row.group, row.session, row.foreground, row.stat, row.start, blocked_in, is_shell, command_line(row)
    ) + b"\n"


def foreground_lines(meta):
    """The foreground group of the session's terminal. At a prompt that is the shell alone."""
    shell = same_process(meta.get(b"shell"), meta.get(b"shell_start"))
    if not shell:
        return []
    rows = [shell]
    if shell.foreground != shell.group:
        rows = [row for row in all_rows() if row.group == shell.foreground and row.stat != b"Z"]
    return [process_line(row, blocked(row, meta.get(b"tty")), row.pid == shell.pid) for row in rows]


def link_target(path):
    try:
        return os.fsencode(os.readlink(path))
    except OSError:
        return None


def blocked(row, tty):
    """What a process waits for: terminal, poll, elsewhere, running, unknown."""
    if row.stat != b"S":
        return "elsewhere" if row.stat in (b"T", b"t", b"Z") else "running"
    place = slurp("/proc/%d/wchan" % row.pid, 256)
    place = place.strip() if place is not None else None
    if place in poll_places:
        return "poll"
    call = slurp("/proc/%d/syscall" % row.pid, 256) if read_calls else None
    # It goes on by now: where it waited a moment ago (a full terminal, say) tells nothing.
    if (call or b"").startswith(b"running"):
        return "running"
    found = re.match(rb"([0-9]+) (\S+)", call or b"")
    if found:
        number = int(found.group(1))
        if number in poll_calls:
            return "poll"
        if number not in read_calls:
            return "elsewhere"
        target = link_target("/proc/%d/fd/%d" % (row.pid, int(found.group(2), 16)))
        return "terminal" if target is not None and target in (tty, b"/dev/tty") else "elsewhere"
    if place is None or place in (b"", b"0"):
        return "unknown"
    if place not in terminal_reads:
        return "elsewhere"
    # The same place in the kernel serves blocking sockets.
    targets = [link_target("/proc/%d/fd/%s" % (row.pid, name)) for name in names_in("/proc/%d/fd" % row.pid)]
    return "unknown" if not targets or any((each or b"").startswith(b"socket:") for each in targets) else "terminal"


def terminal_mode(tty):
    """(line mode, echo) as flags; empty once the terminal is gone."""
    if not tty or not re.fullmatch(rb"/dev/[\w/]+", tty):
        return b"", b""
    try:
        with Opened(tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK) as fd:
            flags = termios.tcgetattr(fd)[3]
    except (OSError, termios.error):
        return b"", b""
    return bool(flags & termios.ICANON), bool(flags & termios.ECHO)


def op_started(request, session, shell, supervisor, shell_start, _body):
    """Everything the session started that still runs, background and detached processes included; not its shell."""
    word_argument("id of a session", session)
    shell = number_argument("number of the shell", shell)
    supervisor = number_argument("number of the supervisor", supervisor)
    rows = all_rows()
    children = {}
    for row in rows:
        children.setdefault(row.parent, []).append(row)
    found = {}

    def add(several):
        several = list(several)
        while several:
            row = several.pop()
            if row.pid in found or row.pid == supervisor:
                continue
            found[row.pid] = row
            several += children.get(row.pid, ())

    # A number that went to another process was free: then nothing is left that it could tell.
    namesake = any(row.pid == shell and row.start != shell_start for row in rows)
    if not namesake:
        add(children.get(shell, ()))
        add(row for row in rows if row.session == shell)
    mark = b"\0WAYMARK_SESSION=%s\0" % session
    for row in rows:
        # Whoever left the terminal (setsid, daemons) still carries the session's mark. Kernel threads carry nothing.
        if row.parent == 2 or row.pid == 2 or row.pid in found or row.pid == supervisor:
            continue
        if mark in b"\0" + (slurp("/proc/%d/environ" % row.pid) or b""):
            add([row])
    if not namesake:
        found.pop(shell, None)
    body = b""
    for row in found.values():
        line = process_line(row, "unknown", False) if row.stat != b"Z" else b""
        if len(body) + len(line) > max_body:
            break
        body += line
    answer_body(request, [], body)


def op_holders(request, shell, shell_start, supervisor, supervisor_start, _body):
    row = same_process(shell, shell_start)
    facts = [True, row.foreground, row.group, row.stat] if row else [False, b"", b"", b""]
    answer(request, *(facts + [same_process(supervisor, supervisor_start) is not None]))


def op_kill(request, *pairs):
    if len(pairs) % 2:
        bad_request("signals and processes come in pairs")
    orders = list(zip(pairs[::2], pairs[1::2]))
    for name, target in orders:
        word_argument("signal that is sent", name, rb"INT|HUP|TERM|KILL|CONT")
        if not re.fullmatch(rb"-?[0-9]{1,9}", target) or abs(int(target)) < 2:
            bad_request(b"%s is no process" % target)
    for name, target in orders:
        kill_quietly(int(target), getattr(signal, "SIG" + name.decode()))  # what is gone or not ours is passed over
    answer(request)


def op_resize(request, tty, rows, cols, _body):
    word_argument("terminal", tty, rb"/dev/(?:pts/[0-9]+|tty\w+)")
    rows, cols = number_argument("size", rows), number_argument("size", cols)
    if not 1 <= rows <= 2000 or not 1 <= cols <= 2000:
        bad_request("a terminal has 1 to 2000 rows and columns")
    try:
        with Opened(tty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK) as fd:
            fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    except OSError:
        pass  # it is gone, and so is its size
    answer(request)
