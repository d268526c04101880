# ── Other programs ──
def clean_environment():
    """The environment of what is started here: the login's own, without what belongs to this connection."""
    dropped = (b"_", b"SHLVL", b"PWD", b"OLDPWD", b"PERL_UNICODE")
    return {
        name: value
        for name, value in os.environb.items()
        if not name.startswith((b"SSH_", b"WAYMARK_")) and name not in dropped
    }


def add_given(environment, given):
    """Adds `NAME=value` texts. A variable the session needs for itself cannot be given."""
    for pair in given:
        found = re.fullmatch(rb"([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)", pair, re.DOTALL)
        if not found:
            bad_request(b'"%s" is no variable' % pair)
        if found.group(1).startswith(b"WAYMARK_"):
            bad_request(b"%s cannot be given" % found.group(1))
        environment[found.group(1)] = found.group(2)


def close_others(*keep):
    names = names_in("/proc/self/fd") or [str(fd) for fd in range(256)]
    for fd in map(int, names):
        if fd > 2 and fd not in keep:
            try:
                os.close(fd)
            except OSError:
                continue  # the listing's own


def default_signals():
    for name in "HUP INT QUIT PIPE ALRM TERM USR1 USR2 CHLD TSTP TTIN TTOU XFSZ".split():
        signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def die_with_parent(parent):
    """A child must not outlive the program it works for."""
    if libc and hasattr(libc, "prctl"):
        libc.prctl(1, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


class Program:
    """A program whose output is awaited. `line`: done at its first line; else when its output and itself are over."""

    def __init__(self, done, limit, line):
        self.done = done
        self.limit = limit
        self.line = line
        self.pid = 0
        self.out = None
        self.input = None
        self.feed = b""
        self.buffer = b""
        self.truncated = False
        self.status = None
        self.reaped = 0.0
        self.quiet = 0.0  # since its output or itself was over
        self.deadline = 0.0
        self.expired = False


programs = {}  # by pid


def spawn(command, environment, cwd, limit, done, feed=None, line=False):
    out_read, out_write = os.pipe()
    in_read, in_write = os.pipe() if feed is not None else (None, None)
    pid = os.fork()
    if pid == 0:
        try:
            default_signals()
            os.setsid()
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null if in_read is None else in_read, 0)
            os.dup2(out_write, 1)
            os.dup2(out_write, 2)
            close_others()
            try:
                os.chdir(cwd)
            except OSError as error:
                os.write(1, ("ERR cwd_missing %s\n" % error.strerror).encode())
                os._exit(126)
            os.execvpe(command[0], command, environment)
        finally:
            os._exit(127)
    os.close(out_write)
    program = Program(done, limit, line)
    program.pid = pid
    program.out = out_read
    os.set_blocking(out_read, False)
    if in_write is not None:
        os.close(in_read)
        os.set_blocking(in_write, False)
        program.input = in_write
        program.feed = memoryview(feed)
        feed_program(program)
    programs[pid] = program
    return program


def feed_program(program):
    while len(program.feed):
        try:
            written = os.write(program.input, program.feed[:65536])
        except BlockingIOError:
            return
        except OSError:
            break  # it does not want more; its answer tells why
        program.feed = program.feed[written:]
    os.close(program.input)
    program.input = None


def read_program(program):
    try:
        piece = os.read(program.out, 65536)
    except BlockingIOError:
        return
    if not piece:
        os.close(program.out)
        program.out = None
        program.quiet = monotonic()
        finish_program(program)
        return
    room = max(0, program.limit - len(program.buffer))
    if len(piece) > room:
        program.truncated = True
    program.buffer += piece[:room]
    if program.line and b"\n" in program.buffer:
        finish_program(program)


def finish_program(program):
    if not program.done:
        return
    over = program.out is None and program.status is not None
    # Something it left running may hold its output open for ever.
    over = over or (program.status is not None and monotonic() > program.reaped + 0.25)
    over = over or (program.line and (program.out is None or b"\n" in program.buffer))
    if not over:
        return
    done = program.done
    close_program(program)
    if program.status is not None:
        programs.pop(program.pid, None)
    done(program)


def close_program(program):
    program.done = None
    for fd in (program.out, program.input):
        if fd is not None:
            os.close(fd)
    program.out = program.input = None


def reap():
    """Collects whatever has ended; called in every round of the loop while there are children."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == 0:
            break
        program = programs.get(pid)
        if program:
            program.status = status
            program.reaped = program.quiet = monotonic()
            if not program.done:
                del programs[pid]
        else:
            worker_ended(pid)
    now = monotonic()
    for program in list(programs.values()):
        if program.deadline and now > program.deadline:
            kill_quietly(-program.pid, signal.SIGKILL if program.expired else signal.SIGTERM)
            program.expired = True
            program.deadline = now + 0.5
        if program.status is not None:
            finish_program(program)


def kill_quietly(target, number):
    try:
        os.kill(target, number)
    except OSError:
        return


def drop_program(program):
    """Forgets a program: it and all it started in its process group are killed."""
    if program.status is None:
        kill_quietly(-program.pid, signal.SIGKILL)
    close_program(program)
