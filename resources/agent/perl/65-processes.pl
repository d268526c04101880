# ── The processes behind a session, from /proc ──
my %terminal_reads = map { $_ => 1 } qw(wait_woken n_tty_read tty_read);
my %poll_places    = map { $_ => 1 } qw(poll_schedule_timeout do_select do_sys_poll ep_poll do_epoll_wait);
# System call numbers of read and readv, and of poll, select, epoll_wait and their newer forms.
my ($read_calls, $poll_calls) =
    $machine eq 'x86_64' ? ([0, 19], [7, 23, 232, 270, 271, 281, 441])
  : $machine =~ /^(?:aarch64|riscv64|loongarch64)\z/ ? ([63, 65], [22, 72, 73, 441])
  :                                                   (undef, []);

sub process_row {
    my ($pid) = @_;
    my $text = slurp("/proc/$pid/stat", 4096);
    # The name may hold spaces and brackets: fields count from the last one.
    return if !defined $text || $text !~ /^\d+ \((.*)\) (.*)/s;
    my ($name, @fields) = ($1, split ' ', $2);
    return {
        pid => $pid, name => $name, stat => $fields[0], parent => $fields[1], group => $fields[2], session => $fields[3],
        foreground => $fields[5], start => $fields[19],
    };
}

sub all_rows { return grep { $_ } map { process_row($_) } grep { /^\d+$/ } names_in('/proc') }

sub command_line {
    my ($row) = @_;
    my $text = slurp("/proc/$row->{pid}/cmdline", 1000);
    return "[$row->{name}]" if !defined $text || $text =~ /^\0*\z/;
    $text =~ s/\0+$//;
    $text =~ tr/\0/ /;
    return $text;
}

# The process of that number, unless the number belongs to another one now.
sub same_process {
    my ($pid, $start) = @_;
    return if !$pid || $pid !~ /^\d+\z/;
    my $row = process_row($pid);
    return $row && $row->{start} eq $start && $row->{stat} ne 'Z' ? $row : undef;
}

sub process_line {
    my ($row, $blocked, $is_shell) = @_;
    return joined_fields(@$row{qw(pid parent group session foreground stat start)}, $blocked, $is_shell, command_line($row)) . "\n";
}

# The foreground group of the session's terminal. At a prompt that is the shell alone.
sub foreground_rows {
    my ($meta) = @_;
    my $shell = same_process($meta->{shell}, $meta->{shell_start}) or return;
    my @rows =
      $shell->{foreground} == $shell->{group}
      ? ($shell)
      : grep { $_->{group} == $shell->{foreground} && $_->{stat} ne 'Z' } all_rows();
    return map { process_line($_, blocked($_, $meta->{tty}), $_->{pid} == $shell->{pid} ? 1 : 0) } @rows;
}

# What a process waits for: terminal, poll, elsewhere, running, unknown.
sub blocked {
    my ($row, $tty) = @_;
    my ($pid, $stat) = @$row{qw(pid stat)};
    return 'running' if $stat eq 'R';
    return $stat eq 'T' || $stat eq 't' || $stat eq 'Z' ? 'elsewhere' : 'running' if $stat ne 'S';
    my $place = slurp("/proc/$pid/wchan", 256);
    $place =~ s/\s+$// if defined $place;
    return 'poll' if defined $place && $poll_places{$place};
    my $call = $read_calls ? slurp("/proc/$pid/syscall", 256) : undef;
    # It goes on by now: where it waited a moment ago (a full terminal, say) tells nothing.
    return 'running' if defined $call && $call =~ /^running/;
    if (defined $call && $call =~ /^(\d+) (\S+)/) {
        my ($number, $descriptor) = ($1, $2);
        return 'poll' if grep { $_ == $number } @$poll_calls;
        return 'elsewhere' if !grep { $_ == $number } @$read_calls;
        my $target = readlink "/proc/$pid/fd/" . hex $descriptor;
        return defined $target && ($target eq $tty || $target eq '/dev/tty') ? 'terminal' : 'elsewhere';
    }
    return 'unknown' if !defined $place || $place eq '' || $place eq '0';
    return 'elsewhere' if !$terminal_reads{$place};
    # The same place in the kernel serves blocking sockets.
    my @targets = map { readlink "/proc/$pid/fd/$_" } names_in("/proc/$pid/fd");
    return !@targets || grep { defined && /^socket:/ } @targets ? 'unknown' : 'terminal';
}

# (line mode, echo) as flags; nothing once the terminal is gone.
sub terminal_mode {
    my ($tty) = @_;
    return ('', '') if !defined $tty || $tty !~ m{^/dev/[\w/]+\z};
    sysopen my $terminal, $tty, O_RDONLY | O_NOCTTY | O_NONBLOCK or return ('', '');
    my $mode = POSIX::Termios->new;
    $mode->getattr(fileno $terminal) or return ('', '');
    my $flags = $mode->getlflag;
    return ($flags & ICANON ? 1 : 0, $flags & ECHO ? 1 : 0);
}

# Everything the session started that still runs, background and detached processes included; not its shell.
sub op_started {
    my ($id, $session, $shell, $supervisor, $shell_start) = @_;
    bad_request('that is no id of a session') if !defined $session || $session !~ /^[\w.-]{1,100}\z/;
    number_argument('number of the shell', $shell);
    number_argument('number of the supervisor', $supervisor);
    my @rows = all_rows();
    my %children;
    push @{$children{$_->{parent}}}, $_ for @rows;
    my %found;
    # A number that went to another process was free: then nothing is left that it could tell.
    my $namesake = grep { $_->{pid} == $shell && $_->{start} ne $shell_start } @rows;
    my @next = $namesake ? () : (@{$children{$shell} || []}, grep { $_->{session} == $shell } @rows);
    my $add = sub {
        while (my $row = shift @next) {
            next if $found{$row->{pid}} || $row->{pid} == $supervisor;
            $found{$row->{pid}} = $row;
            push @next, @{$children{$row->{pid}} || []};
        }
    };
    $add->();
    for my $row (@rows) {
        # Whoever left the terminal (setsid, daemons) still carries the session's mark. Kernel threads carry nothing.
        next if $row->{parent} == 2 || $row->{pid} == 2 || $found{$row->{pid}} || $row->{pid} == $supervisor;
        my $marks = slurp("/proc/$row->{pid}/environ", 1048576);
        next if !defined $marks || index("\0$marks", "\0WAYMARK_SESSION=$session\0") < 0;
        push @next, $row;
        $add->();
    }
    delete $found{$shell} if !$namesake;
    my @lines = map { process_line($_, 'unknown', 0) } grep { $_->{stat} ne 'Z' } values %found;
    my $body = '';
    for my $line (@lines) { last if length($body) + length $line > $max_body; $body .= $line }
    answer_body($id, [], $body);
}

sub op_holders {
    my ($id, $shell, $shell_start, $supervisor, $supervisor_start) = @_;
    bad_request('four arguments tell who is meant') if !defined $supervisor_start;
    my $row = same_process($shell, $shell_start);
    answer($id, $row ? (1, @$row{qw(foreground group stat)}) : (0, '', '', ''), same_process($supervisor, $supervisor_start) ? 1 : 0);
}

sub op_kill {
    my ($id, @pairs) = @_;
    bad_request('signals and processes come in pairs') if @pairs % 2;
    for (my $i = 0; $i < @pairs; $i += 2) {
        bad_request("$pairs[$i] is no signal that is sent") if $pairs[$i] !~ /^(?:INT|HUP|TERM|KILL|CONT)\z/;
        bad_request("$pairs[$i + 1] is no process") if $pairs[$i + 1] !~ /^-?\d{1,9}\z/ || abs $pairs[$i + 1] < 2;
    }
    # What is gone or not ours is passed over.
    while (my ($signal, $target) = splice @pairs, 0, 2) { kill $signal, $target + 0 }
    answer($id);
}

sub op_resize {
    my ($id, $tty, $rows, $cols) = @_;
    bad_request('that is no terminal') if !defined $tty || $tty !~ m{^/dev/(?:pts/\d+|tty\w+)\z};
    for my $size ($rows, $cols) {
        bad_request('a terminal has 1 to 2000 rows and columns') if number_argument('size', $size) < 1 || $size > 2000;
    }
    if (sysopen my $terminal, $tty, O_RDWR | O_NOCTTY | O_NONBLOCK) {
        my $size = pack 'S4', $rows, $cols, 0, 0;
        ioctl $terminal, 0x5414, $size;
    }
    answer($id);
}
