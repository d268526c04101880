# ── Following logs and watching directories ──
frame_bytes = 65536
gather = 0.003  # while much output flows it is read in pieces this far apart, in seconds
much = 16384
watch_pause = 0.001
frames_a_turn = 16
followers = []  # served in turn
follower_by = {}  # by the client's number
watches = {}


class Turn:
    frames_left = 0


class Follower(Listener):
    def __init__(self, number, directory, offset, credit):
        Listener.__init__(self, directory)
        self.number = number
        self.offset = offset
        self.credit = credit
        self.ready = True
        self.ready_at = 0.0
        self.check = True
        self.over = False
        self.sent = 0.0
        self.much = False
        self.checked = 0.0
        self.fd = -1

    def changed(self, name):
        if name != b"spool":
            if name != b"marks":
                self.check = True
            self.ready = True
            return
        if self.ready:
            return
        now = monotonic()
        at = self.sent + gather if self.much else 0
        if at <= now:
            self.ready = True
            return
        self.ready_at = at

    def look(self):
        """Without events, and once a second for a death that causes none."""
        active = about(self.fd).st_size > self.offset
        now = monotonic()
        if active or now > self.checked + slow_look * 0.9:
            self.checked = now
            self.ready = self.check = True
        next_look(self, active)


def op_follow(request, number, directory, offset, credit, _body):
    number_argument("number of the follower", number)
    if number in follower_by:
        bad_request(b"follower %s is there already" % number)
    entry = Follower(number, directory, number_argument("offset", offset), number_argument("credit", credit))
    # Listened to first: what comes after this is told, what came before is read.
    listen_to(entry)
    try:
        entry.fd = os.open(directory + b"/spool", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        stop_listening(entry)
        raise session_refusal(directory, error)
    follower_by[number] = entry
    followers.append(entry)
    answer(request)


def op_credit(_request, number, count, _body):
    more = number_argument("credit", count)
    if number in follower_by:
        follower_by[number].credit += more


def op_unfollow(request, number, _body):
    if number in follower_by:
        end_follower(follower_by[number])
    answer(request)


def end_follower(entry):
    stop_listening(entry)
    os.close(entry.fd)
    del follower_by[entry.number]
    followers.remove(entry)


def wake_followers(now):
    for entry in followers:
        if entry.ready_at and entry.ready_at <= now:
            entry.ready_at = 0.0
            entry.ready = True


def followed_waits():
    return any(entry.ready and entry.credit > 0 for entry in followers)


def next_followed():
    """The next frame of followed bytes, or b'' when there is none or others should have a turn."""
    if Turn.frames_left <= 0:
        return b""
    for _ in range(len(followers)):
        entry = followers.pop(0)
        followers.append(entry)
        if not entry.ready or entry.credit <= 0:
            continue
        data = followed_frame(entry)
        if data:
            Turn.frames_left -= 1
            return data
    return b""


def followed_frame(entry):
    while True:
        wanted = min(entry.credit, frame_bytes)
        data = os.pread(entry.fd, wanted, entry.offset)
        if data:
            # Looked at after reading: it moves before the bytes go.
            low = low_of_follower(entry)
            if low > entry.offset:
                gone = entry.offset
                entry.offset = low
                return frame([b"g", entry.number, gone, low])
            made = frame([b"d", entry.number, entry.offset, milliseconds(about(entry.fd).st_mtime_ns)], data)
            entry.offset += len(data)
            entry.credit -= len(data)
            entry.sent = monotonic()
            entry.much = len(data) >= much
            if len(data) < wanted and not entry.check and not entry.over:
                entry.ready = False
            if entry.watch is None:
                next_look(entry, True)
            return made
        if entry.over:
            made = frame([b"e", entry.number, entry.offset])
            end_follower(entry)
            return made
        if entry.check:
            entry.check = False
            # Read once more after the end was seen: the last bytes may have come in between.
            if not same_session(entry) or life_of(entry.directory)[0] != "alive":
                entry.over = True
                continue
        entry.ready = False
        return b""


def same_session(entry):
    """The name may belong to another session by now; this one is over then."""
    mine = about(entry.fd)
    there = about_or_none(entry.directory + b"/spool")
    return there is not None and (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)


def low_of_follower(entry):
    low = low_of(entry.directory)
    return low if low > entry.offset and same_session(entry) else 0


# ── Watches ──
class Watch(Listener):
    def __init__(self, number, directory):
        Listener.__init__(self, directory)
        self.number = number
        self.told = 0.0
        self.due = 0.0
        self.signature = None

    def changed(self, name):
        if name != b"spool":
            self.tell()

    def tell(self):
        if self.due:
            return
        now = monotonic()
        if now < self.told + watch_pause:
            self.due = self.told + watch_pause
            return
        self.say(now)

    def say(self, now):
        self.due = 0.0
        self.told = now
        queue_answer(frame([b"c", self.number]))

    def look(self):
        signature = directory_signature(self.directory)
        active = signature != self.signature
        self.signature = signature
        if active:
            self.tell()
        next_look(self, active)


def op_watch(request, number, directory, _body):
    number_argument("number of the watch", number)
    if number in watches:
        bad_request(b"watch %s is there already" % number)
    entry = Watch(number, directory)
    listen_to(entry)
    entry.signature = directory_signature(directory)
    watches[number] = entry
    answer(request)


def op_unwatch(request, number, _body):
    entry = watches.pop(number, None)
    if entry:
        stop_listening(entry)
    answer(request)


def tell_due_watches(now):
    for entry in watches.values():
        if entry.due and entry.due <= now:
            entry.say(now)


def directory_signature(directory):
    there = about_or_none(directory)
    if not there:
        return None
    marks = about_or_none(directory + b"/marks")
    return (there.st_ino, there.st_mtime_ns, marks.st_size if marks else 0, life_of(directory))
