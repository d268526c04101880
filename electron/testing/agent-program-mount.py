# For tests: mounts an empty read-only file system of the type `fuse.sshfs` in a mount namespace of its own and runs a command.
# Whoever asks there for the name `hang` waits for ever, as on a server that has gone.
# usage: unshare -m python3 agent-program-mount.py DIRECTORY COMMAND...
import ctypes
import errno
import os
import signal
import struct
import sys

directory, command = sys.argv[1], sys.argv[2:]
libc = ctypes.CDLL(None, use_errno=True)
fuse = os.open("/dev/fuse", os.O_RDWR)
# Nothing of this is to be seen outside: MS_REC | MS_PRIVATE.
if libc.mount(b"none", b"/", None, 0x44000, None):
    sys.exit("private: %s" % os.strerror(ctypes.get_errno()))
options = "fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (fuse, os.getuid(), os.getgid())
if libc.mount(b"none", os.fsencode(directory), b"fuse.sshfs", 0, options.encode()):
    sys.exit("mount: %s" % os.strerror(ctypes.get_errno()))
parent = os.getpid()
if os.fork():
    os.close(fuse)
    os.execvp(command[0], command)

libc.prctl(1, signal.SIGKILL, 0, 0, 0)
if os.getppid() != parent:
    sys.exit()
for fd in range(3):
    os.dup2(os.open(os.devnull, os.O_RDWR), fd)
while True:
    request = os.read(fuse, 1 << 20)
    _length, opcode, unique, node = struct.unpack_from("IIQQ", request)
    error, answer = -errno.ENOENT if opcode == 1 else -errno.ENOSYS, b""
    if opcode == 26:  # INIT
        error, answer = 0, struct.pack("IIIIHHIIHHI28x", 7, 31, 0, 0, 0, 0, 65536, 1, 0, 0, 0)
    elif opcode == 3 and node == 1:  # GETATTR
        attributes = struct.pack("QQQQQQIIIIIIIIII", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, os.getuid(), os.getgid(), 0, 4096, 0)
        error, answer = 0, struct.pack("QII", 60, 0, 0) + attributes
    if opcode == 1 and request[40:].startswith(b"hang\0"):  # LOOKUP
        continue
    if opcode not in (2, 36, 42):  # FORGET and INTERRUPT want no answer
        os.write(fuse, struct.pack("IiQ", 16 + len(answer), error, unique) + answer)
