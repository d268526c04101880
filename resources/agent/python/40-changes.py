# ── What changes in sessions' directories: inotify where the kernel has it, else looking again and again ──
poll_seconds = (0.02, 0.5)
slow_look = 1
# Reading events is put off under a flood: so many times at once, then one more every ms.
most_turns, turn_seconds = 16, 0.001
# MODIFY, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF, only directories
interest = 0x2 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x01000000


class Notify:
    fd = -1
    listeners = {}  # by watch number, {listener}
    turns = most_turns
    turns_at = 0.0


def start_notify():
    if not libc or not hasattr(libc, "inotify_init1"):
        return
    Notify.fd = libc.inotify_init1(0x80800)  # NONBLOCK | CLOEXEC


class Listener:
    """Somebody who is told of every change in a directory. Without events its looks decide."""

    def __init__(self, directory):
        self.directory = directory
        self.watch = None
        self.wait = poll_seconds[0]
        self.next = monotonic() + (slow_look if Notify.fd >= 0 else poll_seconds[0])

    def changed(self, name):
        raise NotImplementedError

    def look(self):
        raise NotImplementedError


def listen_to(listener):
    if Notify.fd < 0:
        return
    watch = libc.inotify_add_watch(Notify.fd, ctypes.c_char_p(listener.directory), ctypes.c_uint32(interest))
    if watch < 0:
        # The system may have no watch left to give: then this one polls.
        listener.next = monotonic() + poll_seconds[0]
        return
    listener.watch = watch
    Notify.listeners.setdefault(watch, set()).add(listener)


def stop_listening(listener):
    watch, listener.watch = listener.watch, None
    listeners = Notify.listeners.get(watch)
    if not listeners:
        return
    listeners.discard(listener)
    if not listeners:
        del Notify.listeners[watch]
        libc.inotify_rm_watch(Notify.fd, watch)


def events_wait(now):
    """Seconds until events may be read again, 0 for now."""
    Notify.turns = min(most_turns, Notify.turns + (now - Notify.turns_at) / turn_seconds)
    Notify.turns_at = now
    return 0 if Notify.turns >= 1 else (1 - Notify.turns) * turn_seconds


def read_events():
    Notify.turns -= 1
    while True:
        try:
            raw = os.read(Notify.fd, 65536)
        except BlockingIOError:
            return
        seen = set()
        at = 0
        while at < len(raw):
            watch, mask, _cookie, length = struct.unpack_from("iIII", raw, at)
            name = raw[at + 16:at + 16 + length].rstrip(b"\0")
            at += 16 + length
            if mask & 0x4000:  # events were lost: anything may have changed
                for listeners in list(Notify.listeners.values()):
                    for listener in list(listeners):
                        listener.changed(b"")
                continue
            if name == b"in" or (watch, name) in seen:
                continue
            seen.add((watch, name))
            if mask & 0x8000:  # the directory is gone and its watch with it
                for listener in Notify.listeners.pop(watch, ()):
                    listener.watch = None
                    listener.next = 0
                continue
            for listener in list(Notify.listeners.get(watch, ())):
                listener.changed(name)


def next_look(listener, active):
    """How long until a listener wants to be looked at, after one look; `active`: it had news."""
    now = monotonic()
    if listener.watch is not None:
        listener.next = int(now) + 1 + slow_look  # all at the same moment
        return
    listener.wait = poll_seconds[0] if active else min(listener.wait * 2, poll_seconds[1])
    listener.next = now + listener.wait
