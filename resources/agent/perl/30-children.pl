# ── Other programs ──
# The environment of what is started here: the login's own, without what belongs to this connection.
sub clean_environment {
    my %clean = %ENV;
    delete @clean{grep { /^(?:SSH_|WAYMARK_)/ } keys %clean};
    delete @clean{qw(_ SHLVL PWD OLDPWD PERL_UNICODE)};
    return %clean;
}

# Adds `NAME=value` texts. A variable the session needs for itself cannot be given.
sub with_given {
    my ($environment, @given) = @_;
    for my $pair (@given) {
        my ($name, $value) = $pair =~ /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)\z/s or bad_request("\"$pair\" is no variable");
        bad_request("$name cannot be given") if $name =~ /^WAYMARK_/;
        $environment->{$name} = $value;
    }
}

# Only right before another program takes over; see `close_channel`.
sub close_others {
    opendir my $listing, '/proc/self/fd' or do { POSIX::close($_) for 3 .. 255; return };
    my @open = grep { /^\d+$/ && $_ > 2 } readdir $listing;
    closedir $listing;
    POSIX::close($_) for @open;
}

sub default_signals {
    $SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT PIPE ALRM TERM USR1 USR2 CHLD TSTP TTIN TTOU XFSZ);
    sigprocmask(SIG_SETMASK, POSIX::SigSet->new);
}

# A child must not outlive the program it works for.
sub die_with_parent {
    my ($parent) = @_;
    syscall($CALL{death_signal}, 1, 9, 0, 0, 0) if $CALL{death_signal};
    POSIX::_exit(0) if getppid() != $parent;
}

# Programs whose output is awaited, by pid: {out, buffer, in, feed, limit, truncated, line, deadline, done, status}
# `line`: done at its first line; else when both its output and the program itself are over.
my %programs;

sub spawn {
    my (%order) = @_;
    pipe(my $out_read, my $out_write) or die refusal('io', "pipe: $!");
    my ($in_read, $in_write);
    if (defined $order{feed}) { pipe($in_read, $in_write) or die refusal('io', "pipe: $!") }
    my $pid = fork;
    defined $pid or die refusal('io', "fork: $!");
    if (!$pid) {
        default_signals();
        setsid();
        open STDIN, '<', '/dev/null';
        dup2(defined $in_read ? fileno $in_read : 0, 0);
        dup2(fileno $out_write, 1);
        if ($order{both}) { dup2(1, 2) }
        else { open STDERR, '>', '/dev/null'; dup2(fileno STDERR, 2) }
        close_others();
        if (!chdir $order{cwd}) { syswrite STDOUT, "ERR cwd_missing $!\n"; POSIX::_exit(126) }
        %ENV = %{$order{environment}};
        { no warnings 'exec'; exec {$order{command}[0]} @{$order{command}}; }
        POSIX::_exit(127);
    }
    close $out_write;
    my %program = (%order, pid => $pid, out => $out_read, buffer => '', truncated => 0);
    unblock($out_read);
    if (defined $in_write) { close $in_read; unblock($in_write); $program{in} = $in_write; feed_program(\%program) }
    $programs{$pid} = \%program;
    return \%program;
}

sub unblock {
    my ($handle) = @_;
    my $flags = fcntl $handle, F_GETFL, 0;
    fcntl $handle, F_SETFL, $flags | O_NONBLOCK;
}

sub feed_program {
    my ($program) = @_;
    while (length $program->{feed}) {
        my $n = syswrite $program->{in}, $program->{feed}, 65536;
        if (!defined $n) {
            next if $! == EINTR;
            return if $! == EAGAIN;
            last;    # it does not want more; its answer tells why
        }
        substr $program->{feed}, 0, $n, '';
    }
    close $program->{in};
    delete $program->{in};
}

sub read_program {
    my ($program) = @_;
    my $n = sysread $program->{out}, my $piece, 65536;
    return if !defined $n && ($! == EINTR || $! == EAGAIN);
    if (!$n) {
        close $program->{out};
        delete $program->{out};
        $program->{quiet} = monotonic();
        return finish_program($program);
    }
    my $room = $program->{limit} - length $program->{buffer};
    $program->{truncated} = 1 if $n > $room;
    $program->{buffer} .= substr $piece, 0, $room if $room > 0;
    finish_program($program) if $program->{line} && $program->{buffer} =~ /\n/;
}

sub finish_program {
    my ($program) = @_;
    return if !$program->{done};
    my $over = !$program->{out} && defined $program->{status};
    # Something it left running may hold its output open for ever.
    $over ||= defined $program->{status} && monotonic() > $program->{reaped} + 0.25;
    $over ||= $program->{line} && (!$program->{out} || $program->{buffer} =~ /\n/);
    return if !$over;
    my $done = delete $program->{done};
    close $program->{out} if $program->{out};
    close $program->{in}  if $program->{in};
    delete @$program{qw(out in)};
    delete $programs{$program->{pid}} if defined $program->{status};
    $done->($program);
}

# Collects whatever has ended; called in every round of the loop while there are children.
sub reap {
    while ((my $pid = waitpid -1, WNOHANG) > 0) {
        my $status = $?;
        my $program = $programs{$pid};
        if ($program) {
            $program->{status} = $status;
            $program->{quiet} = $program->{reaped} = monotonic();
            delete $programs{$pid} if !$program->{done};
            next;
        }
        worker_ended($pid);
    }
    my $now = monotonic();
    my @current = values %programs;
    for my $program (@current) {
        if ($program->{deadline} && $now > $program->{deadline}) {
            kill($program->{expired}++ ? 'KILL' : 'TERM', -$program->{pid});
            $program->{deadline} = $now + 0.5;
        }
        finish_program($program) if defined $program->{status};
    }
}

# Forgets a program: it and all it started in its process group are killed.
sub drop_program {
    my ($program) = @_;
    delete $program->{done};
    kill 'KILL', -$program->{pid} if !defined $program->{status};
    close $program->{out} if $program->{out};
    close $program->{in}  if $program->{in};
    delete @$program{qw(out in)};
}
