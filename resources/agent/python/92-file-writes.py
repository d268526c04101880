# ── Files, write side ──
def behind_links(path):
    """Where a write must go so that a link stays a link, also one whose target does not exist yet."""
    try:
        return resolved(path)
    except FileNotFoundError:
        target = path
    for _ in range(40):
        try:
            to = os.readlink(target)
        except OSError:
            return target
        target = to if to.startswith(b"/") else below(parent_of(target), to)
    return target


def write_target(path, make_parents):
    path_argument(path)
    if make_parents == b"1":
        make_path(parent_of(path), 0o777)
    target = behind_links(path)
    before = about_unless((errno.ENOENT,), target)
    if before:
        must_be_file(before)
    return target


def new_draft(target):
    """(path of a new private file beside the target, what is open)"""
    draft = below(parent_of(target), b"." + leaf_of(target)[:100] + b"." + random_hex(6) + b".tmp")
    return draft, Opened(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL)


def mode_argument(mode):
    return int(word_argument("octal number of a mode", mode, rb"[0-7]{1,4}"), 8) if mode else None


def expect_argument(expect):
    return word_argument("expectation: any, absent or a sha256", expect, rb"any|absent|[0-9a-f]{64}")


def must_match(target, expect):
    if expect == b"any":
        return
    there = about_unless((errno.ENOENT,), target, True)
    if expect == b"absent":
        if there:
            raise Refusal("conflict", "it already exists", "exists")
        return
    if not there:
        raise Refusal("conflict", "it is gone", "gone")
    with open_file(target) as fd:
        digest = sha256_of_file(fd)
    if digest != expect:
        raise Refusal("conflict", "its content changed", "changed")


def replace_with(fd, draft, target, mode, expect):
    """
    The draft becomes the file. The comparison comes after the new bytes are safe and right before the rename, so only
    a change within that instant could be missed.
    """
    before = about_unless((errno.ENOENT,), target)
    now = about(fd)
    # Only root can give a file away; for others the owner is the same or the rename is a new file of theirs.
    if before and os.geteuid() == 0 and (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
        os.fchown(fd, before.st_uid, before.st_gid)
    if mode is None:
        mode = before.st_mode & 0o7777 if before else 0o644
    os.fchmod(fd, mode)
    os.fsync(fd)
    must_match(target, expect)
    os.rename(draft, target)
    Way.unfinished = None
    with Opened(parent_of(target), os.O_RDONLY) as directory:
        try:
            os.fsync(directory)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise


class Unfinished:
    """Removes a draft unless it has become the file."""

    def __init__(self, draft):
        Way.unfinished = draft

    def __enter__(self):
        return self

    def __exit__(self, *_failure):
        if Way.unfinished:
            unlink_quietly(Way.unfinished)
            Way.unfinished = None


def op_f_write(request, path, mode, expect, make_parents, body):
    mode = mode_argument(mode)
    expect_argument(expect)
    target = write_target(path, make_parents)
    draft, opened = new_draft(target)
    with Unfinished(draft), opened as fd:
        write_all(fd, body)
        replace_with(fd, draft, target, mode, expect)
    answer(request, sha256(body))


def op_f_begin(request, path, make_parents, _body):
    """A draft is known by its own path and its target's, so that any worker can go on with it."""
    target = write_target(path, make_parents)
    draft, opened = new_draft(target)
    with opened:
        answer(request, draft + b"\0" + target)


def draft_argument(text):
    draft, _, target = (text or b"").partition(b"\0")
    sound = draft.startswith(b"/") and target.startswith(b"/") and parent_of(draft) == parent_of(target)
    if not sound or not re.fullmatch(rb"\..*\.[0-9a-f]{12}\.tmp", leaf_of(draft), re.DOTALL):
        bad_request("that is no handle of a draft")
    return draft, target


def op_f_put(request, text, offset, body):
    draft, _ = draft_argument(text)
    offset = number_argument("offset", offset)
    with Opened(draft, os.O_WRONLY) as fd:
        os.lseek(fd, offset, os.SEEK_SET)
        write_all(fd, body)
    answer(request)


def op_f_commit(request, text, mode, expect, digest, _body):
    draft, target = draft_argument(text)
    mode = mode_argument(mode)
    expect_argument(expect)
    with Opened(draft, os.O_RDWR) as fd, Unfinished(draft):
        if sha256_of_file(fd) != digest:
            raise Refusal("io", "what arrived is not what was sent")
        before = about_unless((errno.ENOENT,), target)
        if before:
            must_be_file(before)
        replace_with(fd, draft, target, mode, expect)
    answer(request, digest)


def op_f_abort(request, text, _body):
    draft, _ = draft_argument(text)
    try:
        os.unlink(draft)
    except FileNotFoundError:
        pass  # given up or finished before
    answer(request)


def op_f_mkdir(request, path, _body):
    make_path(path_argument(path), 0o777)
    answer(request)


def op_f_link(request, target, path, _body):
    path_argument(path)
    if not target or b"\0" in target:
        bad_request("a link points somewhere")
    there = about_unless((errno.ENOENT,), path, True)
    if there and stat.S_ISDIR(there.st_mode):
        raise Refusal("is_directory", "it is a directory", "EISDIR")
    if there and not stat.S_ISLNK(there.st_mode):
        raise Refusal("exists", "something already exists there", "EEXIST")
    draft = below(parent_of(path), b"." + leaf_of(path)[:100] + b"." + random_hex(6) + b".tmp")
    os.symlink(target, draft)
    try:
        os.rename(draft, path)
    except OSError:
        unlink_quietly(draft)
        raise
    answer(request)
