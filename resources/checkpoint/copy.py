# Copies a workspace into a checkpoint, or a checkpoint into a new workspace, on the computer that holds both.
# The twin of copy.pl: same arguments, same answers, same files. docs/adr/0010-checkpoints.md says why it is so.
# Arguments: size|copy|restore ROOT BASE ID PREVIOUS KEEP EXCLUDE ORIGIN
#   BASE/ID/files     the copy; BASE/ID/manifest: what it holds and how the file looked then; BASE/ID/answer: what was said
#   PREVIOUS, KEEP    ids of checkpoints (KEEP: comma-separated, * = all); whatever else lies in BASE is a leaving and goes
#   EXCLUDE           regular expression over paths below ROOT; ORIGIN: where the files of a restored checkpoint once lay
import errno
import fcntl
import os
import re
import shutil
import stat
import subprocess
import sys
import time

op, root, base, identity, previous, keep, exclude, origin = [os.fsencode(each) for each in sys.argv[1:9]]
piece = 1048576
reserve = 67108864  # bytes that are left free
shown = 20  # notes that are told by name
tries = 3  # for a file that changes while it is copied
clone = 0x40049409  # FICLONE of Linux
excluded = re.compile(exclude, re.DOTALL) if exclude else None
notes = []
noted = 0
os.umask(0o077)


class Full(Exception):
    pass


def escaped(text):
    return re.sub(rb"[^A-Za-z0-9_./-]", lambda found: b"%%%02x" % found.group()[0], text)


def note(what, path):
    global noted
    noted += 1
    if len(notes) < shown:
        notes.append(b"note " + what + b" " + escaped(path))


# As the manifest has it, but for the last word: may it have changed unseen?
def head_of(kind, facts, size):
    times = (facts.st_mtime_ns // 10**9, facts.st_ctime_ns // 10**9)
    return b"%s %d %d %d %d %d" % (kind, stat.S_IMODE(facts.st_mode), size, *times, facts.st_ino)


# Copies made since the machine started are as long as they were written: only a power cut can shorten them.
def boot():
    return said(b"/proc/sys/kernel/random/boot_id").strip()


def said(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def is_full(error):
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def answer(status, **said):
    lines = [b"waymark-checkpoint 1", b"status " + status]
    lines += [name.encode() + b" " + (value if isinstance(value, bytes) else b"%d" % value) for name, value in sorted(said.items())]
    return b"\n".join(lines + notes + [b"notes %d" % noted, b"end", b""])


def say(text):
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def finish(status, **said):
    say(answer(status, **said))
    sys.exit(0)


def free_bytes(path):
    try:
        facts = os.statvfs(path)
    except OSError:
        return b""
    return facts.f_bavail * facts.f_frsize


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.unlink(path)


def look(path):
    try:
        return os.lstat(path)
    except OSError:
        return None


# ── What is there ──
class Entry:
    def __init__(self, kind, path, facts):
        self.kind = kind
        self.path = path
        self.facts = facts
        self.how = b""
        self.head = b""


# Everything below the root, parents first, in the order of bytes.
def walk():
    found = []
    waiting = [b""]
    while waiting:
        folder = waiting.pop(0)
        full = root + b"/" + folder if folder else root
        try:
            names = sorted(os.listdir(full))
        except OSError as error:
            if not folder:
                sys.exit("%s cannot be read: %s" % (os.fsdecode(root), error.strerror))
            if error.errno != errno.ENOENT:
                note(b"unreadable", folder)
            continue
        folders = []
        for name in names:
            path = folder + b"/" + name if folder else name
            if excluded and excluded.fullmatch(path):
                continue
            here = root + b"/" + path
            facts = look(here) if here != base else None
            if facts is None:
                continue
            if stat.S_ISDIR(facts.st_mode):
                found.append(Entry("D", path, facts))
                folders.append(path)
            elif stat.S_ISREG(facts.st_mode):
                found.append(Entry("F", path, facts))
            elif stat.S_ISLNK(facts.st_mode):
                found.append(Entry("L", path, facts))
            else:
                note(b"special", path)
        waiting[0:0] = folders
    return found


# What an earlier checkpoint holds, parents first: head, path and, of a link, its target; None when there is none.
def read_manifest(folder):
    try:
        with open(folder + b"/manifest", "rb") as file:
            parts = file.read().split(b"\0")
    except OSError:
        return None
    records = []
    at = 0
    while at + 1 < len(parts):
        link = parts[at][:1] == b"L"
        records.append((parts[at], parts[at + 1], parts[at + 2] if link else b""))
        at += 3 if link else 2
    return records


# ── Copying one file ──
# b"" or why not: gone, unreadable.
def copy_once(source, target, size, blocks):
    try:
        reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return b"gone" if error.errno in (errno.ENOENT, errno.ENOTDIR) else b"unreadable"
    try:
        try:
            os.unlink(target)
        except FileNotFoundError:
            pass
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            return fill(reading, writing, size, blocks * 512 < size)
        finally:
            os.close(writing)
    except OSError as error:
        if is_full(error):
            raise Full()
        raise
    finally:
        os.close(reading)


def fill(reading, writing, size, sparse):
    if size > 0 and sys.platform == "linux":
        try:
            fcntl.ioctl(writing, clone, reading)
            return b""
        except OSError:
            pass
    at = 0
    while True:
        try:
            data = os.read(reading, piece)
        except OSError:
            return b"unreadable"
        if not data:
            break
        at += len(data)
        if sparse and len(data) == piece and data.count(0) == piece:
            os.lseek(writing, at, os.SEEK_SET)
            continue
        view = memoryview(data)
        while view:
            view = view[os.write(writing, view):]
    if sparse:
        os.ftruncate(writing, at)
    return b""


def same_content(one, other):
    try:
        with open(os.open(one, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb", 0) as here:
            with open(os.open(other, os.O_RDONLY | os.O_NOFOLLOW), "rb", 0) as there:
                while True:
                    left, right = here.read(piece), there.read(piece)
                    if left != right:
                        return False
                    if not left:
                        return True
    except OSError:
        return False


def dress(path, mode, mtime_ns):
    os.chmod(path, stat.S_IMODE(mode))
    os.utime(path, ns=(mtime_ns, mtime_ns))


def identity_of(facts):
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


# The file as it was at one moment: (why, racy, facts).
def copy_settled(source, target):
    facts = after = look(source)
    if facts is None or not stat.S_ISREG(facts.st_mode):
        return b"gone", False, None
    for _ in range(tries):
        began = int(time.time())
        why = copy_once(source, target, facts.st_size, facts.st_blocks)
        if why:
            return why, False, None
        after = look(source)
        if after is None or not stat.S_ISREG(after.st_mode):
            return b"gone", False, None
        racy = after.st_ctime_ns // 10**9 >= began - 1
        # Within one tick of the clock a change leaves no trace in the times.
        if identity_of(facts) == identity_of(after) and (not racy or same_content(source, target)):
            dress(target, after.st_mode, after.st_mtime_ns)
            return b"", racy, after
        facts = after
    dress(target, after.st_mode, after.st_mtime_ns)
    return b"changed", True, after


# ── The operations ──
def plan():
    earlier = base + b"/" + previous
    old = {path: head for head, path, _ in (read_manifest(earlier) or [] if previous else [])}
    steady = boot() != b"" and said(earlier + b"/boot") == boot()
    found = walk()
    total = dict(files=0, bytes=0, newFiles=0, newBytes=0)
    for entry in found:
        if entry.kind != "F":
            continue
        size = entry.facts.st_size
        total["files"] += 1
        total["bytes"] += size
        entry.head = head_of(b"F", entry.facts, size)
        known = old.get(entry.path)
        entry.how = b"link" if known == entry.head + b" 0" else b"compare" if known == entry.head + b" 1" else b"copy"
        if entry.how != b"copy" and not steady:
            copy = look(earlier + b"/files/" + entry.path)
            if copy is None or copy.st_size != size:
                entry.how = b"copy"
        if entry.how != b"link":
            total["newFiles"] += 1
            total["newBytes"] += size
    return found, total


def do_size():
    _, total = plan()
    at = base
    while at and not os.path.exists(at):
        at = os.path.dirname(at)
    finish(b"sized", free=free_bytes(at or b"/"), **total)


def make(path):
    try:
        os.mkdir(path, 0o700)
    except OSError as error:
        if is_full(error):
            raise Full()
        raise


def link_symbolically(target, path):
    try:
        os.symlink(target, path)
    except OSError as error:
        if is_full(error):
            raise Full()
        raise


def do_copy():
    try:
        os.makedirs(base, 0o700, exist_ok=True)
        lock = open(base + b"/.lock", "wb")
    except OSError as error:
        if is_full(error):
            finish(b"full", **plan()[1])
        raise
    fcntl.flock(lock, fcntl.LOCK_EX)
    told = said(b"/".join((base, identity, b"answer")))
    if told:
        return say(told)
    kept = {previous, b".lock", *keep.split(b",")}
    for name in os.listdir(base):
        if name not in kept and (keep != b"*" or name.endswith(b".partial")):
            remove(base + b"/" + name)
    found, total = plan()
    free = free_bytes(base)
    if free != b"" and total["newBytes"] + 4096 * len(found) + reserve > free:
        finish(b"full", free=free, **total)
    draft = base + b"/" + identity + b".partial"
    try:
        text = fill_draft(draft, found)
    except (Full, OSError) as error:
        if isinstance(error, OSError) and not is_full(error):
            raise
        remove(draft)
        finish(b"full", free=free_bytes(base), **total)
    flush_to_disk(draft)
    os.rename(draft, base + b"/" + identity)
    flush_to_disk(base + b"/" + identity)
    say(text)


def flush_to_disk(folder):
    """See copy.pl: it must outlive a power cut before it stands under its name."""
    order = ["sh", "-c", 'sync -f "$1" 2>/dev/null || sync', "sh", folder]
    subprocess.call(order, stdin=subprocess.DEVNULL)


def fill_draft(draft, found):
    os.makedirs(draft + b"/files", 0o700)
    made = dict(files=0, bytes=0, newFiles=0, newBytes=0)
    with open(draft + b"/manifest", "wb") as manifest:
        for entry in found:
            target = draft + b"/files/" + entry.path
            source = root + b"/" + entry.path
            if entry.kind == "D":
                make(target)
                manifest.write(head_of(b"D", entry.facts, 0) + b" 0\0" + entry.path + b"\0")
            elif entry.kind == "L":
                try:
                    leads_to = os.readlink(source)
                except OSError:
                    continue
                link_symbolically(leads_to, target)
                head = head_of(b"L", entry.facts, 0)
                manifest.write(head + b" 0\0" + entry.path + b"\0" + leads_to + b"\0")
            else:
                fill_file(entry, source, target, manifest, made)
    with open(draft + b"/boot", "wb") as file:
        file.write(boot())
    text = answer(b"made", free=free_bytes(base), folder=escaped(base + b"/" + identity), **made)
    with open(draft + b"/answer", "wb") as file:
        file.write(text)
    return text


def fill_file(entry, source, target, manifest, made):
    facts, size, new = entry.facts, entry.facts.st_size, True
    old = b"/".join((base, previous, b"files", entry.path))
    began = int(time.time())
    if entry.how == b"link" or (entry.how == b"compare" and same_content(source, old)):
        try:
            os.link(old, target)
            new = False
        except OSError:
            # Too many links, or the copy is gone.
            pass
    racy = entry.how == b"compare" and facts.st_ctime_ns // 10**9 >= began - 1
    if new:
        why, racy, facts = copy_settled(source, target)
        if why in (b"gone", b"unreadable"):
            if os.path.lexists(target):
                os.unlink(target)
            if why == b"unreadable":
                note(why, entry.path)
            return
        if why:
            note(why, entry.path)
        # The manifest speaks of the copy: a file that was cut or grew meanwhile counts as it was copied.
        size = os.lstat(target).st_size if why else facts.st_size
        made["newFiles"] += 1
        made["newBytes"] += size
    made["files"] += 1
    made["bytes"] += size
    manifest.write(head_of(b"F", facts, size) + (b" 1\0" if racy else b" 0\0") + entry.path + b"\0")


def do_restore():
    records = read_manifest(base + b"/" + identity)
    if records is None:
        finish(b"missing")
    if os.path.lexists(root):
        if os.path.islink(root) or not os.path.isdir(root) or os.listdir(root):
            finish(b"occupied")
    draft = root + b".waymark-partial"
    remove(draft)
    need = sum(int(head.split(b" ")[2]) for head, _, _ in records)
    try:
        os.makedirs(draft, 0o700)
    except OSError as error:
        if is_full(error):
            finish(b"full", bytes=need)
        raise
    free = free_bytes(draft)
    made = dict(files=0, bytes=0)
    try:
        if free != b"" and need + 4096 * len(records) + reserve > free:
            raise Full()
        for record in records:
            restore_one(record, draft, made)
    except Full:
        remove(draft)
        finish(b"full", bytes=need, free=free)
    if noted:
        remove(draft)
        finish(b"damaged")
    for head, path, _ in reversed(records):
        if head[:1] == b"D":
            os.chmod(draft + b"/" + path, int(head.split(b" ")[1]))
    os.chmod(draft, 0o755)
    if os.path.isdir(root):
        os.rmdir(root)
    os.rename(draft, root)
    finish(b"restored", **made)


def restore_one(record, draft, made):
    head, path, leads_to = record
    kind, _, size = head.split(b" ")[:3]
    target = draft + b"/" + path
    if kind == b"D":
        return make(target)
    if kind == b"L":
        # A link into the old workspace must not lead a branch there.
        if leads_to == origin or leads_to.startswith(origin + b"/"):
            leads_to = root + leads_to[len(origin):]
        return link_symbolically(leads_to, target)
    source = b"/".join((base, identity, b"files", path))
    facts = look(source)
    if facts is None or not stat.S_ISREG(facts.st_mode) or facts.st_size != int(size):
        return note(b"damaged", path)
    if copy_once(source, target, facts.st_size, facts.st_blocks):
        return note(b"damaged", path)
    dress(target, facts.st_mode, facts.st_mtime_ns)
    made["files"] += 1
    made["bytes"] += facts.st_size


operations = {b"size": do_size, b"copy": do_copy, b"restore": do_restore}
if op not in operations:
    sys.exit("There is no operation %s." % os.fsdecode(op))
operations[op]()
