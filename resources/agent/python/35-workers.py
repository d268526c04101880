# ── Workers: copies of this program that do what may take long, so that a disk that hangs holds up no session ──
# Requests reach them as they came, one at a time; their answers are passed on as they are.
most_workers = {"quick": 3, "slow": 3}
# One that has been at it for longer than this does not count: its disk may never answer. Seconds, and an end to that.
patience, most_of_a_kind = 2, 16
waiting = {"quick": [], "slow": []}
workers = []
most_held = 64 * 1048576
drafts = set()  # handles of unfinished uploads, removed at the end


class Held:
    bytes = 0  # of requests that wait for a worker


class Request:
    def __init__(self, request, op, data, handle=b""):
        self.id = request
        self.op = op
        self.data = data
        self.handle = handle


class Worker:
    def __init__(self, pid, kind, channel):
        self.pid = pid
        self.kind = kind
        self.channel = channel
        self.incoming = bytearray()
        self.out = b""
        self.request = None
        self.since = 0.0
        self.dying = 0.0


def give_worker(kind, request):
    waiting[kind].append(request)
    Held.bytes += len(request.data)
    serve_waiting()


def serve_waiting():
    now = monotonic()
    for kind, queue in waiting.items():
        while queue:
            mine = [worker for worker in workers if worker.kind == kind and not worker.dying]
            free = next((worker for worker in mine if not worker.request), None)
            prompt = sum(now < worker.since + patience for worker in mine)
            if not free and (prompt >= most_workers[kind] or len(mine) >= most_of_a_kind):
                break
            request = queue.pop(0)
            Held.bytes -= len(request.data)
            if not free:
                try:
                    free = new_worker(kind)
                except OSError as error:
                    refuse_request(request.id, "io", "No process could be started: %s." % error.strerror)
                    continue
            free.request = request
            free.since = now
            free.out = memoryview(request.data)
            request.data = b""
            write_worker(free)


def new_worker(kind):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            close_others(theirs.fileno())
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null, 1)
            default_signals()
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            die_with_parent(parent)
            work(theirs.fileno())
        finally:
            os._exit(0)
    theirs.close()
    ours.setblocking(False)
    worker = Worker(pid, kind, ours)
    workers.append(worker)
    return worker


def work(fd):
    """The life of a worker."""

    def deliver(data):
        try:
            write_all(fd, data)
        except OSError:
            os._exit(0)

    def stop(_number, _frame):
        if Way.unfinished:
            unlink_quietly(Way.unfinished)
        os._exit(0)

    Way.deliver = staticmethod(deliver)
    Way.in_worker = True
    signal.signal(signal.SIGTERM, stop)
    buffer = bytearray()
    while True:
        taken = take_frame(buffer)
        if taken:
            perform(*taken)
            continue
        data = os.read(fd, 1048576)
        if not data:
            return
        buffer += data


def write_worker(worker):
    while len(worker.out):
        try:
            written = worker.channel.send(worker.out[:262144])
        except OSError:
            return  # full, or dead, which is noticed on the reading side
        worker.out = worker.out[written:]


def read_worker(worker):
    try:
        data = worker.channel.recv(262144)
    except BlockingIOError:
        return
    except OSError:
        data = b""
    if not data:
        worker_ended(worker.pid)
        return
    worker.incoming += data
    while True:
        start = first_line_of_frame.match(worker.incoming)
        if not start:
            break
        at, header = start.end(), int(start.group(1))
        length = at + header + int(start.group(2))
        del start
        if len(worker.incoming) < length:
            break
        whole = bytes(worker.incoming[:length])
        del worker.incoming[:length]
        if not worker.request:
            continue
        queue_answer(whole)
        head = whole[at:at + header]
        if head.startswith(b"+"):
            continue
        note_draft(worker.request, [unescape_field(field) for field in head.split(b"\t")])
        worker.request = None
    serve_waiting()
    # One more than there should be ends with its channel.
    if not worker.request and sum(each.kind == worker.kind for each in workers) > most_workers[worker.kind]:
        workers.remove(worker)
        worker.channel.close()


def worker_ended(pid):
    for worker in workers:
        if worker.pid == pid:
            break
    else:
        return
    workers.remove(worker)
    worker.channel.close()
    if worker.request:
        refuse_request(worker.request.id, "io", "The process that worked on this ended before it was done.")
    serve_waiting()


def note_draft(request, fields):
    """An upload that was begun and not finished leaves a file; the end of the connection removes it."""
    if request.op == b"f.begin" and fields[0] == b"=":
        drafts.add(fields[2])
    elif request.op in (b"f.commit", b"f.abort"):
        drafts.discard(request.handle)


def cancel_work(which):
    """True when the request waited or ran and will not be answered by anyone else now."""
    for queue in waiting.values():
        for request in queue:
            if request.id == which:
                queue.remove(request)
                Held.bytes -= len(request.data)
                return True
    for worker in workers:
        if worker.request and worker.request.id == which:
            worker.request = None
            worker.dying = monotonic() + 1
            kill_quietly(worker.pid, signal.SIGTERM)
            return True
    return False


def stop_slow_workers():
    now = monotonic()
    for worker in workers:
        if worker.dying and now > worker.dying:
            kill_quietly(worker.pid, signal.SIGKILL)
