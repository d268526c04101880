# ── Requests ──
# (where it runs, what does it, fewest arguments)
operations = {
    b"hello": ("quick", op_hello, 0),
    b"ping": ("here", op_ping, 0),
    b"cancel": ("here", lambda request, which, _body: op_cancel(request, which), 1),
    b"mkroot": ("here", op_mkroot, 1),
    b"start": ("here", op_start, 10),
    b"resource": ("here", op_resource, 1),
    b"clear": ("quick", op_clear, 1),
    b"directories": ("here", op_directories, 1),
    b"identify": ("here", op_identify, 1),
    b"look": ("here", op_look, 3),
    b"read": ("here", op_read, 3),
    b"follow": ("here", op_follow, 4),
    b"credit": ("here", op_credit, 2),
    b"unfollow": ("here", op_unfollow, 1),
    b"watch": ("here", op_watch, 2),
    b"unwatch": ("here", op_unwatch, 1),
    b"stage": ("here", op_stage, 2),
    b"input": ("here", op_input, 3),
    b"command": ("here", op_command, 6),
    b"resize": ("here", op_resize, 3),
    b"started": ("here", op_started, 4),
    b"holders": ("here", op_holders, 4),
    b"kill": ("here", op_kill, 0),
    b"archive": ("here", op_archive, 3),
    b"discard": ("slow", op_discard, 2),
    b"drop": ("here", op_drop, 2),
    b"exec": ("here", op_exec, 2),
    b"f.read": ("quick", op_f_read, 2),
    b"f.range": ("quick", op_f_range, 3),
    b"f.write": ("quick", op_f_write, 4),
    b"f.begin": ("quick", op_f_begin, 2),
    b"f.put": ("quick", op_f_put, 2),
    b"f.commit": ("slow", op_f_commit, 4),
    b"f.abort": ("quick", op_f_abort, 1),
    b"f.stat": ("quick", op_f_stat, 1),
    b"f.list": ("quick", op_f_list, 2),
    b"f.walk": ("slow", op_f_walk, 3),
    b"f.real": ("quick", op_f_real, 1),
    b"f.mkdir": ("quick", op_f_mkdir, 1),
    b"f.hash": ("slow", op_f_hash, 1),
    b"f.remove": ("slow", op_f_remove, 2),
    b"f.link": ("quick", op_f_link, 2),
}
# Operations that take whatever comes last as variables, and those whose fields are all there is.
open_ended = (b"start", b"exec", b"kill")


def receive(fields, body):
    request = fields[0]
    op = fields[1] if len(fields) > 1 else b""
    if not re.fullmatch(rb"[0-9]{1,15}", request):
        return refuse_request(request[:20], "bad_request", "The number of the request is not one.")
    where = operations[op][0] if op in operations else "here"
    if where == "here":
        return perform(fields, body)
    handle = fields[2] if len(fields) > 2 else b""
    if op == b"f.remove" and fields[3:4] != [b"1"]:
        where = "quick"
    if Held.bytes > most_held:  # so much is under way only when a disk does not answer
        return refuse_request(request, "io", "Too much waits for the disks of this host already.")
    return give_worker(where, Request(request, op, frame(fields, body), handle))


def perform(fields, body):
    request = fields[0]
    op = fields[1] if len(fields) > 1 else b""
    arguments = fields[2:]
    try:
        if op not in operations:
            bad_request(b'There is no operation "%s".' % op)
        _where, do, fewest = operations[op]
        if len(arguments) < fewest:
            bad_request("%s needs %d arguments, and %d came." % (op.decode(), fewest, len(arguments)))
        if op not in open_ended:
            arguments = arguments[:fewest]
        do(request, *(arguments if op == b"kill" else arguments + [body]))
    except Exception as problem:  # a request that goes wrong must not end the others
        refused(request, problem)


def refused(request, problem):
    if isinstance(problem, OSError):
        problem = file_refusal(problem)
    if isinstance(problem, Refusal):
        return refuse_request(request, problem.code, problem.message, *problem.more)
    return refuse_request(request, "io", "The helper failed: %r" % problem)


def op_cancel(request, which):
    if cancel_work(which) or cancel_script(which):
        refuse_request(which, "cancelled", "It was cancelled.")
    answer(request)
    serve_waiting()


# ── The loop ──
silence = int(os.environ.get("WAYMARK_AGENT_SILENCE") or 120)  # seconds without any frame after which the client is taken to be gone
most_out = 8 * 1048576  # bytes of answers above which no more requests are taken
timers = []


def later(seconds, do):
    timers.append((monotonic() + seconds, do))


def run_timers(now):
    due = [timer for timer in timers if timer[0] <= now]
    for timer in due:
        timers.remove(timer)
        timer[1]()


def shut_down(code):
    """Sessions live on; what works for this connection does not."""
    for worker in workers:
        kill_quietly(worker.pid, signal.SIGTERM)
    for program in programs.values():
        if not program.line and program.status is None:
            kill_quietly(-program.pid, signal.SIGKILL)
    for handle in drafts:
        unlink_quietly(handle.partition(b"\0")[0])
    os._exit(code)


def main_loop():
    incoming = bytearray()
    heard = monotonic()
    while True:
        now = monotonic()
        if now > heard + silence:
            shut_down(0)
        run_timers(now)
        wake_followers(now)
        tell_due_watches(now)
        for entry in followers + list(watches.values()):
            if entry.next <= now:
                entry.look()
        if programs or workers:
            reap()
        stop_slow_workers()
        if any(waiting.values()):
            serve_waiting()
        Turn.frames_left = frames_a_turn
        flush_output()

        full = Output.answered > most_out
        events_in = events_wait(now) if Notify.fd >= 0 else 0
        readers = [] if full else [0] + [worker.channel for worker in workers]
        writers = [worker.channel for worker in workers if len(worker.out)]
        if Notify.fd >= 0 and not events_in:
            readers.append(Notify.fd)
        if len(Output.current) or Output.answers or followed_waits():
            writers.append(1)
        for program in programs.values():
            if program.out is not None:
                readers.append(program.out)
            if program.input is not None:
                writers.append(program.input)
        readable, writable, _ = select.select(readers, writers, [], time_to_wait(monotonic(), heard, events_in))
        if Notify.fd in readable:
            read_events()
        for worker in list(workers):
            if worker.channel in writable:
                write_worker(worker)
            if worker.channel in readable:
                read_worker(worker)
        for program in list(programs.values()):
            if program.input is not None and program.input in writable:
                feed_program(program)
            if program.out is not None and program.out in readable:
                read_program(program)
        if 0 not in readable:
            continue
        try:
            data = os.read(0, 1048576)
        except BlockingIOError:
            continue
        if not data:
            shut_down(0)
        incoming += data
        while True:
            taken = take_frame(incoming)
            if not taken:
                break
            heard = monotonic()
            receive(*taken)


def time_to_wait(now, heard, events_in):
    until = heard + silence
    times = [timer[0] for timer in timers] + [now + events_in if events_in else 0]
    for entry in followers:
        times += (entry.next, entry.ready_at)
    for entry in watches.values():
        times += (entry.next, entry.due)
    until = min([until] + [each for each in times if each])
    # Nothing tells when a child has ended but looking.
    longest = 0.5 if any(waiting.values()) else 10.0
    if programs or any(worker.dying for worker in workers):
        longest = 0.05
    if any(program.done and program.quiet and now < program.quiet + 0.3 for program in programs.values()):
        longest = 0.002
    return max(0.0, min(until - now, longest))


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
for ending in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(ending, lambda _number, _frame: shut_down(0))
if libc and hasattr(libc, "prctl"):
    libc.prctl(15, b"waymark-helper", 0, 0, 0)
os.chdir("/")  # whatever the login directory is on may be taken away
os.set_blocking(0, False)
os.set_blocking(1, False)
start_notify()
main_loop()
