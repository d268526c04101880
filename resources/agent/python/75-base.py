# ── Where sessions live ──
network = set(
    b"nfs nfs4 cifs smb3 smbfs fuse.sshfs lustre gpfs beegfs ceph fuse.ceph 9p afs glusterfs fuse.glusterfs fuse.s3fs "
    b"fuse.rclone panfs orangefs pvfs2 ncpfs".split()
)


class Base:
    def __init__(self, path, kind, why):
        self.path = path
        self.kind = kind
        self.why = why


found_base = []


def existing_part(path):
    while path != b"/" and not exists(path):
        path = parent_of(path)
    try:
        return resolved(path)
    except OSError:
        return path


def file_system_of(path):
    """Type of the file system a directory is (or would be) on; empty when it cannot be told."""
    real = existing_part(path)
    best, kind = -1, b""
    for line in (slurp("/proc/self/mountinfo", 4194304) or b"").split(b"\n"):
        fields = line.split(b" ")
        if b"-" not in fields[6:]:
            continue
        mark = fields.index(b"-", 6)
        point = re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found.group(1), 8)]), fields[4])
        inside = point in (b"/", real) or real.startswith(point + b"/")
        if inside and len(point) >= best:  # a later mount at the same place covers the earlier one
            best, kind = len(point), fields[mark + 1]
    return kind


def home_directory():
    home = os.environb.get(b"HOME", b"")
    if home.startswith(b"/"):
        return home
    try:
        return os.fsencode(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return b"/"


def base_directory():
    if found_base:
        return found_base[0]
    state = os.environb.get(b"XDG_STATE_HOME", b"")
    if not state.startswith(b"/"):
        state = home_directory() + b"/.local/state"
    path = state + b"/waymark/sessions"
    kind = file_system_of(path)
    if kind in network:
        base = spare_base(b"%s is on a network file system (%s), which can hold no sessions" % (state, kind))
    elif writable_part(path):
        base = Base(path, kind, b"Sessions are kept in the home directory, which is on this host's own disk.")
    else:
        base = spare_base(b"%s cannot be written" % state)
    found_base.append(base)
    return base


def writable_part(path):
    while path != b"/" and not exists(path):
        path = parent_of(path)
    return os.path.isdir(path) and os.access(path, os.W_OK)


def spare_base(reason):
    """/var/tmp outlives restarts and is local; anybody may make names there, so what is found must be ours."""
    path = b"/var/tmp/waymark-%d" % os.getuid()
    kind = file_system_of(path)
    wrong = own_directory(path)
    if wrong:
        return Base(b"", kind, b"%s, and %s." % (reason, wrong))
    if kind in network:
        return Base(b"", kind, b"%s, and /var/tmp is on one as well." % reason)
    return Base(path, kind, b"%s; %s is used instead." % (reason, path))


def own_directory(path):
    """Empty when a path is free or a directory of ours nobody else may enter (mended if need be), else what is wrong."""
    try:
        there = about(path, True)
    except OSError as error:
        return b"" if error.errno == errno.ENOENT else b"%s cannot be looked at: %s" % (path, error.strerror.encode())
    if stat.S_ISLNK(there.st_mode):
        return b"%s is a symbolic link" % path
    if not stat.S_ISDIR(there.st_mode):
        return b"%s is not a directory" % path
    if there.st_uid != os.geteuid():
        return b"%s belongs to somebody else" % path
    if there.st_mode & 0o077:
        try:
            os.chmod(path, 0o700)
        except OSError as error:
            return b"%s is open to others: %s" % (path, error.strerror.encode())
    return b""


def make_own_directory(path):
    for tries in range(2):
        wrong = own_directory(path)
        if wrong:
            raise Refusal("permission", wrong + b".")
        if tries == 0:
            make_path(path, 0o700)  # and looked at again: somebody may have been quicker


def op_mkroot(request, path, _body):
    make_own_directory(absolute_argument("root", path))
    answer(request)


def base_path():
    base = base_directory()
    if not base.path:
        raise Refusal("permission", base.why)
    return base.path


def op_resource(request, digest, body):
    word_argument("sha256", digest, rb"[0-9a-f]{64}")
    base = base_path()
    path = base + b"/.resource-" + digest
    there = about_or_none(path, True)
    have = there and stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid() and there.st_size > 0
    if not body:
        return answer(request, "have" if have else "need")
    if not have:
        if sha256(body) != digest:
            bad_request("the resource is damaged: its sha256 is another")
        make_own_directory(base)
        put_over(path, body)
    return answer(request, "have")


def sha256(data):
    return hashlib.sha256(data).hexdigest().encode()


def sha256_of_file(fd):
    """Of an open file from its start."""
    os.lseek(fd, 0, os.SEEK_SET)
    digest = hashlib.sha256()
    while True:
        piece = os.read(fd, 1048576)
        if not piece:
            return digest.hexdigest().encode()
        digest.update(piece)
