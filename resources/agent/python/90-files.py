# ── Files, read side; all of these run in workers ──
def path_argument(path):
    if not path or not path.startswith(b"/") or b"\0" in path:
        raise Refusal("invalid_path", "it is not an absolute path")
    return path


def kind_of(mode):
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"


absent = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
forbidden = absent + (errno.EACCES, errno.EPERM)


def about_unless(errors, path, nofollow=False):
    try:
        return about(path, nofollow)
    except OSError as error:
        if error.errno not in errors:
            raise
        return None


def permissions(there):
    return "%o" % (there.st_mode & 0o7777)


def must_be_file(there):
    if stat.S_ISDIR(there.st_mode):
        raise Refusal("is_directory", "it is a directory", "EISDIR")
    if not stat.S_ISREG(there.st_mode):
        raise Refusal("not_a_file", "it is a device, pipe or socket")


def open_file(path):
    """An open file. Looked at before it is opened: opening a device or pipe may do something."""
    must_be_file(about(path))
    opened = Opened(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    must_be_file(about(opened.fd))
    return opened


def too_large(size):
    return Refusal("too_large", "it has %d bytes, more than can be taken at once" % size, size)


def op_f_read(request, path, most, _body):
    most = number_argument("number of bytes", most)
    with open_file(path_argument(path)) as fd:
        there = about(fd)
        if there.st_size > most:
            raise too_large(there.st_size)
        # Files in /proc and growing ones do not have the size they say.
        data = b"" if there.st_size > max_body else read_at(fd, 0, max_body + 1)
    size = max(len(data), there.st_size)
    if len(data) > most:
        raise too_large(size)
    mtime = milliseconds(there.st_mtime_ns)
    if size > max_body:
        return answer(request, size, mtime, permissions(there), b"", True)
    return answer_body(request, [len(data), mtime, permissions(there), sha256(data)], data)


def op_f_range(request, path, offset, length, _body):
    offset = number_argument("offset", offset)
    length = min(number_argument("length", length), max_body)
    with open_file(path_argument(path)) as fd:
        there = about(fd)
        data = read_at(fd, offset, length)
    answer_body(request, [there.st_size, milliseconds(there.st_mtime_ns)], data)


def op_f_stat(request, path, _body):
    there = about_unless(absent, path_argument(path))
    if there is None:
        return answer(request, b"")
    return answer(request, kind_of(there.st_mode), there.st_size, milliseconds(there.st_mtime_ns), permissions(there))


class LineWriter:
    """Lines that go out in pieces of up to half a frame."""

    def __init__(self, request):
        self.request = request
        self.lines = []
        self.size = 0

    def line(self, *fields):
        text = joined_fields(*fields) + b"\n"
        self.lines.append(text)
        self.size += len(text)
        if self.size >= max_body / 2:
            answer_part(self.request, b"".join(self.lines))
            self.lines, self.size = [], 0

    def finish(self, *fields):
        answer_body(self.request, fields, b"".join(self.lines))


def sorted_names(path, hidden):
    return sorted(name for name in os.listdir(path) if hidden or not name.startswith(b"."))


def op_f_list(request, path, hidden, _body):
    writer = LineWriter(request)
    for name in sorted_names(path_argument(path), hidden == b"1"):
        there = about_or_none(below(path, name), True)
        if there is None:
            continue  # gone meanwhile
        target = about_or_none(below(path, name)) if stat.S_ISLNK(there.st_mode) else there
        writer.line(kind_of(target.st_mode) if target else "symlink", name)
    writer.finish()


def op_f_walk(request, path, hidden, most, _body):
    """Directories in the order of their names, each with all its entries before what is below them."""
    most = number_argument("number of entries", most)
    hidden = hidden == b"1"
    # The top must be there and readable; what lies below may be skipped.
    sorted_names(path_argument(path), hidden)
    writer = LineWriter(request)
    count = 0
    to_do = [path]
    while to_do:
        directory = to_do.pop()
        try:
            names = sorted_names(directory, hidden)
        except OSError as error:
            if error.errno not in forbidden:
                raise
            continue
        folders = []
        for name in names:
            if count >= most:
                return writer.finish(True)
            full = below(directory, name)
            there = about_unless(forbidden, full, True)
            if there is None:
                continue
            kind = kind_of(there.st_mode)
            target = about_unless(forbidden, full) if kind == "symlink" else there
            if kind == "symlink" and target and stat.S_ISREG(target.st_mode):
                kind = "file"
            size = target.st_size if target and kind != "directory" else 0
            writer.line(kind, size, milliseconds(target.st_mtime_ns) if target else 0, full)
            count += 1
            if kind == "directory":
                folders.append(full)
        to_do += reversed(folders)
    return writer.finish(False)


def op_f_real(request, path, _body):
    answer(request, resolved(path_argument(path)))


def op_f_hash(request, path, _body):
    with open_file(path_argument(path)) as fd:
        digest = sha256_of_file(fd)
    answer(request, digest)


def remove_tree(path):
    """Never follows a link; what is gone meanwhile is no failure."""
    there = about_unless((errno.ENOENT,), path, True)
    if there is None:
        return
    try:
        if not stat.S_ISDIR(there.st_mode):
            return os.unlink(path)
        for tries in range(3):
            for name in os.listdir(path):
                remove_tree(below(path, name))
            try:
                return os.rmdir(path)
            except OSError as error:
                # Somebody may have put something new into it.
                if error.errno != errno.ENOTEMPTY or tries == 2:
                    raise
    except FileNotFoundError:
        return None


def op_f_remove(request, path, recursive, _body):
    path_argument(path)
    if not path.strip(b"/"):
        raise Refusal("permission", "it is the root of all files")
    there = about(path, True)
    if recursive == b"1":
        remove_tree(path)
    elif stat.S_ISDIR(there.st_mode):
        os.rmdir(path)
    else:
        os.unlink(path)
    answer(request)
