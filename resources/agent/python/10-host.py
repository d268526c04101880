# The same program as the parts of ../perl, for hosts without perl; docs/host-agent.md is the contract, and the names are
# the same in both. Python 3.6 or newer, standard library only. Paths, fields and bodies are bytes.
import errno
import fcntl
import hashlib
import os
import pwd
import re
import select
import signal
import socket
import stat
import struct
import sys
import termios
import time

try:
    import ctypes

    # Without it as on a host whose python was built without ctypes.
    libc = None if os.environ.get("WAYMARK_AGENT_PLAIN") else ctypes.CDLL(None, use_errno=True)
except (ImportError, OSError):
    libc = None

machine = os.uname().machine
system = "darwin" if sys.platform == "darwin" else "linux"


def monotonic():
    """Seconds of a clock nobody sets."""
    return time.monotonic()


def now_ms():
    """ms since 1970, as text with its fraction."""
    return "%.6f" % (time.time() * 1000)


def milliseconds(nanoseconds):
    if nanoseconds < 0:
        return "%.6f" % (nanoseconds / 1e6)
    return "%d.%06d" % divmod(nanoseconds, 1000000)


def about(what, nofollow=False):
    """What stat says of a path or a descriptor. Raises OSError."""
    return os.lstat(what) if nofollow else os.stat(what)


def about_or_none(what, nofollow=False):
    try:
        return about(what, nofollow)
    except OSError:
        return None


# ── Small files ──
def read_up_to(fd, length):
    """So many bytes from where the descriptor stands, or fewer at the end of the file."""
    pieces = []
    while length > 0:
        piece = os.read(fd, length)
        if not piece:
            break
        pieces.append(piece)
        length -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_at(fd, offset, length):
    os.lseek(fd, offset, os.SEEK_SET)
    return read_up_to(fd, length)


class Opened:
    """A descriptor for the length of a `with` block."""

    def __init__(self, path, flags, mode=0o600):
        self.fd = os.open(path, flags | os.O_CLOEXEC, mode)

    def __enter__(self):
        return self.fd

    def __exit__(self, *_failure):
        os.close(self.fd)


def slurp(path, limit=1048576):
    """The whole of a file, at most `limit` bytes; None when it cannot be read."""
    try:
        with Opened(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY) as fd:
            return read_up_to(fd, limit)
    except OSError:
        return None


def first_line(path):
    return (slurp(path, 4096) or b"").partition(b"\n")[0]


def write_all(fd, data):
    view = memoryview(data)
    while len(view):
        view = view[os.write(fd, view[:1048576]):]


def put_new(path, data):
    """A new private file with that content; nothing is left when that fails."""
    with Opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
        try:
            write_all(fd, data)
        except OSError:
            unlink_quietly(path)
            raise


def put_over(path, data):
    """Whole or not at all."""
    draft = path + b"." + random_hex(6)
    put_new(draft, data)
    try:
        os.rename(draft, path)
    except OSError:
        unlink_quietly(draft)
        raise


def unlink_quietly(*paths):
    for path in paths:
        try:
            os.unlink(path)
        except OSError:
            continue


def random_hex(count):
    return os.urandom(count).hex().encode()


def make_path(path, mode):
    """Makes a directory and its parents. The mode is for the last one."""
    try:
        return os.mkdir(path, mode)
    except OSError as failure:
        error = failure
    if error.errno == errno.ENOENT and parent_of(path) != path.rstrip(b"/"):
        make_path(parent_of(path), 0o777)
        try:
            return os.mkdir(path, mode)
        except OSError as failure:
            error = failure
    # Some file systems refuse for another reason what is there already.
    there = about_or_none(path)
    if there and stat.S_ISDIR(there.st_mode):
        return None
    if not there and error.errno == errno.EEXIST:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))  # a link that leads nowhere
    raise error


def parent_of(path):
    return path.rstrip(b"/").rpartition(b"/")[0].rstrip(b"/") or b"/"


def leaf_of(path):
    return path.rstrip(b"/").rpartition(b"/")[2]


def below(path, name):
    return path + name if path.endswith(b"/") else path + b"/" + name


def resolved(path):
    """The path with every link resolved, by the kernel's own word."""
    with Opened(path, getattr(os, "O_PATH", 0o10000000)) as fd:
        return os.readlink(b"/proc/self/fd/%d" % fd)


def names_in(path):
    """Names in a directory; none when it cannot be read."""
    try:
        return os.listdir(path)
    except OSError:
        return []


def exists(path):
    return about_or_none(path) is not None
