# ── What the host is ──
def disk_space(path):
    """(free, total) bytes of a path's disk."""
    try:
        disk = os.statvfs(existing_part(path))
    except OSError:
        return 0, 0
    return disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize


def told_by(seconds, *command):
    """What a program prints; empty when it is not there or takes longer than that."""
    import subprocess

    environment = dict(os.environ, LC_ALL="C")
    try:
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=environment,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return ran.stdout


def can_punch(path):
    draft = existing_part(path) + b"/.waymark-probe." + random_hex(6)
    try:
        with Opened(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL) as fd:
            os.unlink(draft)
            write_all(fd, b"x" * 8192)
            return bool(libc) and punch_hole(fd, 0, 4096)
    except OSError:
        return False


def user_name():
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def login_manager():
    """(KillUserProcesses, Linger): yes, no or empty where nobody can tell."""
    # Without a session's name it tells of the manager itself.
    said = re.search(rb"=(yes|no)", told_by(2, "loginctl", "show-session", "-p", "KillUserProcesses"))
    kill = said.group(1).decode() if said else ""
    if not kill and not os.path.isdir("/run/systemd/system"):
        return "", ""
    if not kill:
        kill = "no"
        more = "/etc/systemd/logind.conf.d"
        files = ["/usr/lib/systemd/logind.conf", "/etc/systemd/logind.conf"]
        files += [more + "/" + name for name in sorted(names_in(more)) if name.endswith(".conf")]
        for file in files:
            for said in re.finditer(rb"(?im)^\s*KillUserProcesses\s*=\s*(yes|no)", slurp(file, 65536) or b""):
                kill = said.group(1).decode().lower()
    said = re.search(rb"=(yes|no)", told_by(2, "loginctl", "show-user", user_name(), "-p", "Linger"))
    linger = said.group(1).decode() if said else "yes" if os.path.exists("/var/lib/systemd/linger/" + user_name()) else "no"
    return kill, linger


def helper_lacks():
    lacks = []
    if not told_by(3, "perl", "-MPOSIX", "-MFcntl", "-MErrno", "-MSocket", "-e", "print 1"):
        lacks.append("perl")
    if Notify.fd < 0:
        lacks.append("inotify")
    return " ".join(lacks)


def op_hello(request, _body):
    base = base_directory()
    bash = find_bash()
    free, total = disk_space(base.path) if base.path else (0, 0)
    kill, linger = login_manager()
    memory = re.search(rb"^MemTotal:\s+(\d+)", slurp("/proc/meminfo", 4096) or b"", re.MULTILINE)
    processors = len(re.findall(rb"(?m)^cpu\d", slurp("/proc/stat", 4194304) or b""))
    facts = {
        "platform": system,
        "hostname": os.uname().nodename,
        "user": user_name(),
        "home": home_directory(),
        "cpus": processors or 1,
        "memory": int(memory.group(1)) * 1024 if memory else 0,
        "bash": bash,
        "bash_version": told_by(2, bash, "--norc", "-c", 'printf %s "$BASH_VERSION"') if bash else "",
        "helper": "python3",
        "helper_version": ".".join(map(str, sys.version_info[:3])),
        "helper_lacks": helper_lacks(),
        "base": base.path,
        "base_fs": base.kind,
        "base_why": base.why,
        "free": free,
        "total": total,
        "boot": first_line("/proc/sys/kernel/random/boot_id"),
        "punch": bool(base.path) and can_punch(base.path),
        "notify": Notify.fd >= 0,
        "kill_user_processes": kill,
        "linger": linger,
    }
    told = [as_bytes(name) + b"=" + as_bytes(value) for name, value in sorted(facts.items())]
    answer(request, *(told + [b"now=" + now_ms().encode()]))


def op_ping(request, _body):
    answer(request, now_ms())
