# ── What the host is ──
sub disk_space {
    my ($path) = @_;
    my $real = existing_part($path);
    if ($CALL{statfs}) {
        my $raw = "\0" x 120;
        if (syscall($CALL{statfs}, $real, $raw) == 0) {
            my ($block, $blocks, $available, $fragment) = (unpack 'q15', $raw)[1, 2, 4, 9];
            $fragment ||= $block;
            return ($available * $fragment, $blocks * $fragment);
        }
    }
    my $text = told_by(2, 'df', '-Pk', $real);
    return $text =~ /\s(\d+)\s+\d+\s+(\d+)\s+\d+%/ ? ($2 * 1024, $1 * 1024) : (0, 0);
}

# What a program prints; '' when it is not there, fails or takes longer than that many seconds.
sub told_by {
    my ($seconds, @command) = @_;
    pipe(my $out_read, my $out_write) or return '';
    my $pid = fork;
    return '' if !defined $pid;
    if (!$pid) {
        default_signals();
        open STDIN, '<', '/dev/null';
        dup2(fileno $out_write, 1);
        open STDERR, '>', '/dev/null';
        close_others();
        $ENV{LC_ALL} = 'C';
        { no warnings 'exec'; exec {$command[0]} @command; }
        POSIX::_exit(127);
    }
    close $out_write;
    my ($text, $until) = ('', monotonic() + $seconds);
    while (1) {
        my $left = $until - monotonic();
        my $r    = '';
        vec($r, fileno $out_read, 1) = 1;
        if ($left <= 0 || select($r, undef, undef, $left) == 0) { kill 'KILL', $pid; last }
        my $n = sysread $out_read, $text, 65536, length $text;
        next if !defined $n && $! == EINTR;
        last if !$n || length $text > 1048576;
    }
    waitpid $pid, 0;
    return $text;
}

sub can_punch {
    my ($path) = @_;
    return 0 if !$CALL{fallocate};
    my $draft = existing_part($path) . '/.waymark-probe.' . random_hex(6);
    sysopen my $handle, $draft, O_RDWR | O_CREAT | O_EXCL, 0600 or return 0;
    unlink $draft;
    syswrite $handle, 'x' x 8192;
    return syscall($CALL{fallocate}, fileno $handle, 3, 0, 4096) == 0 ? 1 : 0;
}

# (KillUserProcesses, Linger): yes, no or empty where nobody can tell.
sub login_manager {
    # Without a session's name it tells of the manager itself.
    my $kill = told_by(2, 'loginctl', 'show-session', '-p', 'KillUserProcesses') =~ /=(yes|no)/ ? $1 : '';
    return ('', '') if $kill eq '' && !-d '/run/systemd/system';
    if ($kill eq '') {
        for my $file ('/usr/lib/systemd/logind.conf', '/etc/systemd/logind.conf', sort glob('/etc/systemd/logind.conf.d/*.conf')) {
            $kill = lc $1 while (slurp($file, 65536) || '') =~ /^\s*KillUserProcesses\s*=\s*(yes|no)/img;
        }
        $kill ||= 'no';
    }
    my $linger = told_by(2, 'loginctl', 'show-user', scalar(getpwuid $<) || $<, '-p', 'Linger') =~ /=(yes|no)/ ? $1 : '';
    $linger = -e '/var/lib/systemd/linger/' . (getpwuid $<)[0] ? 'yes' : 'no' if $linger eq '' && defined getpwuid $<;
    return ($kill, $linger);
}

sub helper_lacks {
    my @lacks;
    push @lacks, 'python3' if !grep { -x "$_/python3" } split /:/, $ENV{PATH} || '';
    push @lacks, 'Digest::SHA' if !has_digest();
    push @lacks, 'inotify'     if !$inotify;
    return join ' ', @lacks;
}

sub op_hello {
    my ($id) = @_;
    my $at   = base_directory();
    my $bash = find_bash();
    my ($free, $total) = $at->{path} eq '' ? (0, 0) : disk_space($at->{path});
    my ($kill, $linger) = login_manager();
    my $user = getpwuid $<;
    my ($memory) = (slurp('/proc/meminfo', 4096) || '') =~ /^MemTotal:\s+(\d+)/;
    my $processors = () = (slurp('/proc/stat', 4194304) || '') =~ /^cpu\d/mg;
    my %facts = (
        platform => $^O, hostname => (POSIX::uname())[1], user => defined $user ? $user : $<, home => home_directory(),
        cpus     => $processors || 1, memory => ($memory || 0) * 1024, bash => $bash,
        bash_version => $bash eq '' ? '' : told_by(2, $bash, '--norc', '-c', 'printf %s "$BASH_VERSION"'),
        helper       => 'perl', helper_version => sprintf('%vd', $^V), helper_lacks => helper_lacks(),
        base         => $at->{path}, base_fs => $at->{type}, base_why => $at->{why}, free => $free, total => $total,
        boot         => first_line('/proc/sys/kernel/random/boot_id'), punch => $at->{path} eq '' ? 0 : can_punch($at->{path}),
        notify       => $inotify ? 1 : 0, kill_user_processes => $kill, linger => $linger,
    );
    answer($id, (map { "$_=$facts{$_}" } sort keys %facts), 'now=' . now_ms());
}

sub op_ping { answer($_[0], now_ms()) }
