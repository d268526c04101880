# ── Frames ──
max_header = 65536
max_body = 1048576
escapes = {b"%": b"%25", b"\t": b"%09", b"\n": b"%0A", b"\r": b"%0D", b"\0": b"%00"}
unescapes = {escape: plain for plain, escape in escapes.items()}


def as_bytes(value):
    if isinstance(value, bytes):
        return value
    if value is None:
        return b""
    if isinstance(value, bool):
        return b"1" if value else b"0"
    return os.fsencode(str(value))


def escape_field(value):
    return re.sub(b"[%\t\n\r\0]", lambda found: escapes[found.group()], as_bytes(value))


def unescape_field(data):
    return re.sub(b"%(?:25|09|0A|0D|00)", lambda found: unescapes[found.group()], data) if b"%" in data else data


def joined_fields(*fields):
    return b"\t".join([escape_field(field) for field in fields])


def frame(fields, body=b""):
    header = joined_fields(*fields)
    return b"%d %d\n%s%s" % (len(header), len(body), header, body)


first_line_of_frame = re.compile(rb"(\d{1,8}) (\d{1,8})\n")


def take_frame(buffer):
    """Takes one whole frame off the front of a bytearray: (fields, body), or None."""
    start = first_line_of_frame.match(buffer)
    if not start:
        if len(buffer) > 18 or re.search(rb"[^\d \n]", buffer):
            fatal("what came on standard input is no frame")
        return None
    header, body = int(start.group(1)), int(start.group(2))
    if header < 1 or header > max_header or body > max_body:
        fatal("a frame of %d and %d bytes came, more than the %d and %d that are allowed" % (header, body, max_header, max_body))
    at = start.end()
    # A bytearray somebody looks into cannot shrink.
    del start
    if len(buffer) < at + header + body:
        return None
    fields = [unescape_field(field) for field in bytes(buffer[at:at + header]).split(b"\t")]
    content = bytes(buffer[at + header:at + header + body])
    del buffer[:at + header + body]
    return fields, content


def fatal(text):
    os.write(2, ("waymark: the helper ends: %s\n" % text).encode())
    shut_down(1)


# ── The way out: answers before followed bytes; a frame that has begun is finished first ──
class Output:
    current = b""  # of the frame on its way, what is not written yet
    answers = []
    answered = 0  # bytes in `answers`


def queue_answer(data):
    Output.answers.append(data)
    Output.answered += len(data)


class Way:
    deliver = staticmethod(queue_answer)  # a worker hands its answers to the main process instead
    in_worker = False
    unfinished = None  # what a worker must remove when it is stopped half-way


def answer(request, *fields):
    Way.deliver(frame([b"=", request] + list(fields)))


def answer_body(request, fields, body):
    Way.deliver(frame([b"=", request] + list(fields), body))


def answer_part(request, body):
    Way.deliver(frame([b"+", request], body))


def refuse_request(request, code, *texts):
    # What came may be repeated in them, and a header has its limit.
    Way.deliver(frame([b"!", request, code] + [as_bytes(text)[:4096] for text in texts]))


def flush_output():
    """Writes what can be written without waiting."""
    while True:
        if not len(Output.current):
            if Output.answers:
                data = Output.answers.pop(0)
                Output.answered -= len(data)
            else:
                data = next_followed()
                if not data:
                    return
            Output.current = memoryview(data)
        try:
            written = os.write(1, Output.current)
        except BlockingIOError:
            return
        except OSError:
            shut_down(0)
        Output.current = Output.current[written:]


# ── Refusals ──
class Refusal(Exception):
    def __init__(self, code, message, *more):
        Exception.__init__(self, code)
        self.code = code
        self.message = message
        self.more = more


def bad_request(message):
    raise Refusal("bad_request", message)


file_errors = {
    "ENOENT": ("not_found", "it does not exist"),
    "EISDIR": ("is_directory", "it is a directory"),
    "ENOTDIR": ("not_directory", "it, or a part of the path to it, is not a directory"),
    "EACCES": ("permission", "permission denied"),
    "EPERM": ("permission", "the operation is not permitted"),
    "EEXIST": ("exists", "something already exists there"),
    "ENOTEMPTY": ("not_empty", "the directory is not empty"),
    "ENOSPC": ("no_space", "the disk is full"),
    "EDQUOT": ("no_space", "the disk quota is used up"),
    "EROFS": ("read_only", "the file system is read-only"),
    "ENAMETOOLONG": ("invalid_path", "the name is too long"),
    "ELOOP": ("invalid_path", "symbolic links form a loop"),
    "ENXIO": ("not_a_file", "it is a device or socket"),
}


def file_refusal(error):
    """A failed system call as a refusal: the client makes the sentence from the error's name."""
    name = errno.errorcode.get(error.errno, "")
    if name not in file_errors:
        text = os.strerror(error.errno) if error.errno else str(error)
        return Refusal("io", text[:1].lower() + text[1:], "errno %s" % error.errno)
    code, text = file_errors[name]
    return Refusal(code, text, name)


def session_refusal(directory, error):
    """The same for a session's own files, where a missing one means that there is no such session."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Refusal("session_not_found", b"There is no session in %s." % directory)
    return file_refusal(error)
