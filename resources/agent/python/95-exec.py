# ── One script, for probes and set-up steps ──
scripts = {}  # by request: its program, or its order while it waits
waiting_scripts = []
most_scripts = 8


class Script:
    """A script that waits for its turn."""

    def __init__(self, command, environment, cwd, feed, limit):
        self.command = command
        self.environment = environment
        self.cwd = cwd
        self.feed = feed
        self.limit = limit


def op_exec(request, cwd, limit, *given):
    script = given[-1]
    absolute_argument("working directory", cwd)
    limit = number_argument("time-out", limit)
    bash = find_bash()
    if not bash:
        raise Refusal("shell_missing", "Scripts need bash, and none was found. Install bash.")
    environment = clean_environment()
    add_given(environment, given[:-1])
    if not os.path.isdir(cwd) or not os.access(cwd, os.X_OK):
        raise Refusal("cwd_missing", b"The directory %s cannot be entered." % cwd)
    # One argument of a program may have 128 KB, and no NUL; a longer script comes through a pipe.
    long = len(script) > 100000
    command = [bash, b"-c", b'eval "$(cat)" </dev/null' if long else script.replace(b"\0", b"")]
    scripts[request] = Script(command, environment, cwd, script if long else None, limit)
    waiting_scripts.append(request)
    start_scripts()


def start_scripts():
    while waiting_scripts and sum(isinstance(each, Program) for each in scripts.values()) < most_scripts:
        request = waiting_scripts.pop(0)
        order = scripts.get(request)
        if not isinstance(order, Script):
            continue
        done = lambda program, request=request: script_ended(request, program)
        try:
            program = spawn(order.command, order.environment, order.cwd, max_body, done, feed=order.feed)
        except OSError as error:
            del scripts[request]
            refused(request, error)
            continue
        if order.limit:
            program.deadline = monotonic() + order.limit / 1000
        scripts[request] = program


def script_ended(request, program):
    scripts.pop(request, None)
    status = program.status
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    answer_body(request, [b"" if program.expired else code, program.truncated], program.buffer)
    start_scripts()


def cancel_script(request):
    script = scripts.pop(request, None)
    if script is None:
        return False
    if isinstance(script, Program):
        drop_program(script)
    start_scripts()
    return True
