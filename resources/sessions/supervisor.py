# The same contract as supervisor.pl, for machines without perl. Read that file first.
#
# usage: python3 - DIR ROWS COLS CWD RC BASH [WRAP...] < supervisor.py        (Python 3.6 or newer)
# usage: python3 - --drop DIR UPTO < supervisor.py
import errno
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

umask = os.umask(0o077)
# See supervisor.pl: nothing of the client's may stay open in a session that outlives it.
os.closerange(3, 1024)
directory = sys.argv[1]
spool = -1
size = 0
low = 0
no_punch = False


def path(*parts):
    return os.path.join(directory, *parts)


def punch(start, end):
    """Makes a hole of whole blocks; False where the file system cannot."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        library = ctypes.CDLL(None)
        # Where offsets have always 64 bits there may be only the short name.
        call = getattr(library, "fallocate64", None) or library.fallocate
        call.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
        return call(spool, 3, start, end - start) == 0
    except (ImportError, OSError, AttributeError):
        pass
    import subprocess

    try:
        order = ["fallocate", "-p", "-o", str(start), "-l", str(end - start), path("spool")]
        return subprocess.call(order, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def drop_to(to):
    """See supervisor.pl: readers learn the number before the bytes are gone, and a full disk is no obstacle."""
    global low
    to -= to % 4096
    if no_punch or to <= low:
        return
    try:
        fd = os.open(path("low.new"), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            if os.write(fd, b"%-31d\n" % to) != 32:
                return
        finally:
            os.close(fd)
        try:
            os.link(path("low"), path("low.old"))
        except FileExistsError:
            pass
        os.rename(path("low.new"), path("low"))
        os.rename(path("low.old"), path("low.new"))
    except OSError:
        return
    punch(low, to)
    low = to


if directory == "--drop":
    directory, wish = sys.argv[2], int(sys.argv[3])
    no_punch = os.path.exists(path("nopunch"))
    try:
        # Whoever holds the lock sees to it: the supervisor, or another like this one.
        spool = os.open(path("spool"), os.O_RDWR)
        fcntl.flock(spool, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine = True
    except OSError:
        mine = False
    try:
        with open(path("low")) as handle:
            low = int(handle.read())
    except (OSError, ValueError):
        low = 0
    if mine:
        drop_to(min(wish, os.fstat(spool).st_size))
    print(low)
    sys.exit(0)

rows, cols, cwd, rc, bash = sys.argv[2:7]
wrap = sys.argv[7:]
first_inside = []
if "--" in wrap:
    first_inside = wrap[wrap.index("--") + 1:]
    wrap = wrap[:wrap.index("--")]
nonce = os.environ.pop("WAYMARK_NONCE")
session_id = os.environ["WAYMARK_SESSION"]
limit = int(os.environ.pop("WAYMARK_LIMIT", "0")) or 8 << 30


def refuse(code, text):
    print("ERR %s %s" % (code, text))
    sys.exit(0)


try:
    if not wrap:
        os.chdir(cwd)
except OSError as error:
    refuse("cwd_missing", error.strerror)
if not os.access(bash, os.X_OK):
    refuse("shell_missing", bash + " is not there")
try:
    os.mkdir(directory, 0o700)
except FileExistsError:
    refuse("session_exists", "File exists")
except OSError as error:
    refuse("io", error.strerror)

ready_r, ready_w = os.pipe()
if os.fork():
    os.close(ready_w)
    with os.fdopen(ready_r) as ready:
        line = ready.readline()
    sys.stdout.write(line or "ERR io the supervisor ended before it was ready\n")
    sys.stdout.flush()
    os._exit(0)
os.close(ready_r)
os.setsid()


def put(name, text):
    fd = os.open(path(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    data = os.fsencode(text)
    if os.write(fd, data) != len(data):
        raise OSError(errno.ENOSPC, "No space left on device", name)
    os.close(fd)


def start_time(pid):
    try:
        with open("/proc/%d/stat" % pid) as handle:
            return handle.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def parent(pid):
    try:
        with open("/proc/%s/stat" % pid) as handle:
            return int(handle.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def told(words):
    """A pipe that holds the words, however many they are, so that nobody has to stay and write."""
    data = b"".join(os.fsencode(word) + b"\0" for word in words)
    source, target = os.pipe()
    if len(data) > 65536:
        fcntl.fcntl(target, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.set_blocking(target, False)
    if os.write(target, data) != len(data):
        raise OSError(errno.E2BIG, "the sandbox is to show more than can be said to bwrap")
    return source


def in_sandbox(editing):
    """Becomes bwrap; see supervisor.pl."""
    os.dup2(info_w, 200)
    os.dup2(there_w, 201)
    os.dup2(201, 9)
    os.close(201)
    del os.environ["WAYMARK_SESSION"], os.environ["WAYMARK_SESSION_DIR"]
    inside = "/run/waymark"
    pairs = [("nonce", "nonce"), ("cmd", "cmd")]
    files = [word for name, place in pairs for word in ("--ro-bind", path(name), inside + "/" + place)]
    files += ["--ro-bind", rc, inside + "/session.bash", "--setenv", "WAYMARK_SESSION", session_id]
    start = ["/bin/sh", "-c", 'echo >&9; exec 9>&-; exec setsid -c "$@"', "sh", bash]
    options = wrap[1:] + ["--info-fd", "200"] + files
    options += ["--setenv", "WAYMARK_SESSION_DIR", inside, "--remount-ro", "/", "--chdir", cwd]
    try:
        os.dup2(told(options), 202)
        line = [wrap[0], "--args", "202", "--"] + first_inside + start + editing
        os.execvp(wrap[0], line + ["--rcfile", inside + "/session.bash", "-i"])
    except OSError as error:
        os.write(2, os.fsencode(error.strerror or str(error)))
    finally:
        os._exit(127)


def sandbox_refused():
    """See supervisor.pl."""
    try:
        said = " ".join(os.read(master, 2000).decode("utf-8", "replace").split())
    except OSError:
        said = ""
    code = "cwd_missing" if "Can't chdir" in said else "sandbox"
    os.write(ready_w, ("ERR %s %s\n" % (code, said)).encode())
    os.rename(directory, directory + ".failed.%d" % os.getpid())
    os._exit(1)


def shell_inside():
    """The sandbox's first process and the shell; see supervisor.pl."""
    info = b""
    while b"}" not in info:
        piece = os.read(info_r, 4096)
        if not piece:
            sandbox_refused()
        info += piece
    found = re.search(rb'"child-pid":\s*(\d+)', info)
    if not found or not os.read(there_r, 1):
        sandbox_refused()
    first = int(found.group(1))
    for name in os.listdir("/proc"):
        if name.isdigit() and parent(name) == first:
            return first, int(name)
    return sandbox_refused()


def first_line(name):
    try:
        with open(name) as handle:
            return handle.readline().rstrip("\n")
    except OSError:
        return ""


try:
    put("nonce", nonce + "\n")
    put("notfull", "")
    put("limit", "%d\n" % limit)
    put("low", "%-31d\n" % 0)
    put("low.new", "%-31d\n" % 0)
    # Its blocks are taken now, so the exit code can be written on a full disk.
    put("exit.new", " " * 126 + "\n")
    os.mkdir(path("inbox"), 0o700)
    os.mkdir(path("cmd"), 0o700)
    os.mkfifo(path("in"), 0o600)
    bell = os.open(path("in"), os.O_RDWR | os.O_NONBLOCK)
    spool = os.open(path("spool"), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    fcntl.flock(spool, fcntl.LOCK_EX | fcntl.LOCK_NB)
    marks = os.open(path("marks"), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    if not punch(0, 4096):
        no_punch = True
        put("nopunch", "")
    master, slave = os.openpty()
    tty = os.ttyname(slave)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(cols), 0, 0))
    if wrap:
        info_r, info_w = os.pipe()
        there_r, there_w = os.pipe()
    shell = os.fork()
    if shell == 0:
        if not wrap:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(slave, fd)
        # Whatever the starter ignored or blocked must not reach the session: Ctrl-C would be dead in it.
        for name in "HUP INT QUIT PIPE ALRM TERM USR1 USR2 CHLD TSTP TTIN TTOU XFSZ".split():
            signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.umask(umask)
        os.environ["WAYMARK_SESSION_DIR"] = directory
        # Only a person edits lines; what the application types must arrive as it is.
        editing = [] if os.environ.get("__WM_TYPED") == "1" else ["--noediting"]
        if wrap:
            in_sandbox(editing)
        try:
            os.execv(bash, [bash] + editing + ["--rcfile", rc, "-i"])
        finally:
            os._exit(127)
    os.close(slave)
    waited = shell
    init = 0
    if wrap:
        os.close(info_w)
        os.close(there_w)
        init, shell = shell_inside()
        os.close(info_r)
        os.close(there_r)
    about = os.fstat(spool)
    try:
        pid_namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        pid_namespace = ""
    put(
        "meta.new",
        "version=1\nid=%s\nsupervisor=%d\nsupervisor_start=%s\nshell=%d\nshell_start=%s\ntty=%s\nspool=%d:%d\n"
        "boot=%s\npidns=%s\ncreated=%d\ncwd=%s\n%s"
        % (
            session_id,
            os.getpid(),
            start_time(os.getpid()),
            shell,
            start_time(shell),
            tty,
            about.st_dev,
            about.st_ino,
            first_line("/proc/sys/kernel/random/boot_id"),
            pid_namespace,
            int(time.time()),
            cwd.replace("\n", "?"),
            "init=%d\ninit_start=%s\n" % (init, start_time(init)) if init else "",
        ),
    )
    os.rename(path("meta.new"), path("meta"))
    os.write(ready_w, ("OK %d %d %s %d:%d\n" % (os.getpid(), shell, tty, about.st_dev, about.st_ino)).encode())
except OSError as failure:
    os.write(ready_w, ("ERR io %s\n" % failure).encode())
    os.rename(directory, directory + ".failed.%d" % os.getpid())
    os._exit(1)
os.close(ready_w)
os.chdir("/")
null = os.open(os.devnull, os.O_RDWR)
for fd in range(3):
    os.dup2(null, fd)

for name in "INT QUIT PIPE XFSZ TSTP TTIN TTOU".split():
    signal.signal(getattr(signal, "SIG" + name), signal.SIG_IGN)


def hang_up(_number, _frame):
    for target in (-shell, shell):
        try:
            os.kill(target, signal.SIGHUP)
        except OSError:
            return


signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
signal.signal(signal.SIGTERM, hang_up)
signal.signal(signal.SIGHUP, hang_up)
os.set_blocking(master, False)

out = bytearray()
incoming = b""
source = None
source_name = ""
last = 0
full = False
status = None
alive = True


prefix = b"\x1b]7717;" + nonce.encode() + b";"
marker = re.compile(rb"([ABCD]);([0-9]{1,15})(?:;([\x20-\x7e]{0,199}))?\x07")
printable = re.compile(rb"[\x20-\x7e]*\Z")
# The log's last bytes if a marker may have begun in them; lines for `marks`.
seen = b""
noted = b""


def note_marks(piece):
    """Finds markers in what went into the log; see supervisor.pl."""
    global seen, noted
    seen += piece
    base = size - len(seen)
    at = seen.find(prefix)
    while at >= 0:
        found = marker.match(seen, at + len(prefix))
        if found and found.end() - at <= 200:
            kind, seq, data = found.groups()
            noted += b"%d %d %s %d" % (base + at, base + found.end(), kind, int(seq))
            noted += b"\n" if data is None else b" " + data + b"\n"
            at = found.end()
        elif len(seen) - at < 200 and printable.match(seen, at + len(prefix)):
            seen = seen[at:]
            return
        else:
            at += 1
        at = seen.find(prefix, at)
    escape = seen.rfind(b"\x1b")
    begun = len(seen) - escape
    seen = seen[escape:] if escape >= 0 and begun < len(prefix) and prefix.startswith(seen[escape:]) else b""


def flush_out():
    """Appends what is held, first to the log, then to `marks`; False while the disk refuses; see supervisor.pl."""
    global full, size, noted
    try:
        while out:
            written = os.write(spool, out)
            size += written
            note_marks(bytes(out[:written]))
            del out[:written]
            if size - low > limit:
                drop_to(size - limit // 8 * 7)
    except OSError:
        pass
    try:
        while noted:
            noted = noted[os.write(marks, noted):]
    except OSError:
        pass
    held = bool(out or noted)
    if held and not full:
        os.rename(path("notfull"), path("full"))
    elif full and not held:
        os.rename(path("full"), path("notfull"))
    full = held
    return not held


def see_to_wish():
    """See supervisor.pl: the wish is the target of a link or the content of a file."""
    wish = path("want-low")
    try:
        text = os.readlink(wish) if os.path.islink(wish) else first_line(wish)
    except OSError:
        return
    if re.match(r"\d{1,15}$", text):
        drop_to(min(int(text), size))
    try:
        os.unlink(wish)
    except FileNotFoundError:
        pass


def drain():
    """Reads what the terminal has, at most 256 KB; 'more', 'empty' or 'closed'."""
    while len(out) < 262144:
        try:
            data = os.read(master, 65536)
        except BlockingIOError:
            return "empty"
        except OSError:
            return "closed"
        if not data:
            return "closed"
        out.extend(data)
    return "more"


def load():
    """Keeps up to 64 KB of the next input in memory; the rest stays in its file."""
    global incoming, source, source_name, last
    while not incoming:
        if source is None:
            names = [n for n in os.listdir(path("inbox")) if re.match(r"^\d{16}$", n) and int(n) > last]
            if not names:
                return
            source_name = min(names)
            source = os.open(path("inbox", source_name), os.O_RDWR)
        incoming = os.read(source, 65536)
        if not incoming:
            os.ftruncate(source, 0)
            os.close(source)
            source = None
            os.rename(path("inbox", source_name), path("inbox", source_name + ".done"))
            if last:
                os.unlink(path("inbox", "%016d.done" % last))
            last = int(source_name)


while alive:
    writable = flush_out()
    readers = [bell] + ([master] if writable else [])
    # The time-out only covers a SIGCHLD that came just before select.
    r, w, _ = select.select(readers, [master] if incoming else [], [], 0.25 if full else 1)
    if bell in r:
        try:
            while os.read(bell, 65536):
                pass
        except BlockingIOError:
            pass
        load()
        see_to_wish()
    if incoming and master in w:
        try:
            incoming = incoming[os.write(master, incoming):]
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
        if not incoming:
            load()
    if writable and master in r and drain() == "closed":
        alive = False
    pid, code = os.waitpid(waited, os.WNOHANG)
    if pid == waited:
        status = code
        alive = False
    elif not (r or w):
        # An input or a wish whose writer died before it could ring.
        load()
        see_to_wish()

# The shell's last bytes may still be on their way: read until closed, or quiet while a survivor holds the terminal.
until = time.time() + 5
while time.time() < until or full:
    if not flush_out():
        time.sleep(0.25)
        continue
    r, _, _ = select.select([master], [], [], 0.2)
    if not r or drain() == "closed":
        break
while not flush_out():
    time.sleep(0.25)
if status is None:
    status = os.waitpid(waited, 0)[1]
exit_code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
handle = os.open(path("exit.new"), os.O_WRONLY)
os.write(handle, ("code=%d\nended=%d\n" % (exit_code, int(time.time()))).encode())
os.close(handle)
os.rename(path("exit.new"), path("exit"))
os._exit(0)
