# ── What changes in sessions' directories: inotify where the kernel has it, else looking again and again ──
my $inotify;
my %listeners;    # by watch number, {listener number => listener}
my $listener_count = 0;
my @poll_seconds   = (0.02, 0.5);
my $slow_look      = 1;
# Reading events is put off under a flood: so many times at once, then one more every ms.
my ($most_turns, $turn_seconds) = (16, 0.001);
my ($turns, $turns_at)          = ($most_turns, 0);
# 'spool' grew or not: MODIFY, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF, only directories
my $interest = 0x2 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x01000000;

sub start_notify {
    return if !$CALL{inotify_init};
    my $descriptor = syscall($CALL{inotify_init}, 0x80800);    # NONBLOCK | CLOEXEC
    open $inotify, '<&=', $descriptor if $descriptor >= 0;
}

# Tells `$listener->{changed}->(name)` of every change in a directory. Without events its `poll` decides.
sub listen_to {
    my ($listener, $directory) = @_;
    $listener->{number} = ++$listener_count;
    $listener->{wait}   = $poll_seconds[0];
    $listener->{next}   = monotonic() + ($inotify ? $slow_look : $poll_seconds[0]);
    return if !$inotify;
    my $watch = syscall($CALL{inotify_add}, fileno $inotify, $directory, $interest);
    # The system may have no watch left to give: then this one polls.
    if ($watch < 0) { $listener->{next} = monotonic() + $poll_seconds[0]; return }
    $listener->{watch} = $watch;
    $listeners{$watch}{$listener->{number}} = $listener;
}

sub stop_listening {
    my ($listener) = @_;
    my $watch = delete $listener->{watch};
    return if !defined $watch || !$listeners{$watch};
    delete $listeners{$watch}{$listener->{number}};
    return if %{$listeners{$watch}};
    delete $listeners{$watch};
    syscall($CALL{inotify_remove}, fileno $inotify, $watch);
}

# Seconds until events may be read again, 0 for now.
sub events_wait {
    my ($now) = @_;
    $turns += ($now - $turns_at) / $turn_seconds;
    $turns = $most_turns if $turns > $most_turns;
    $turns_at = $now;
    return $turns >= 1 ? 0 : (1 - $turns) * $turn_seconds;
}

sub read_events {
    $turns--;
    while (1) {
        my $n = sysread $inotify, my $raw, 65536;
        return if !$n;
        my %seen;
        while (length $raw) {
            my ($watch, $mask, undef, $length) = unpack 'i I3', $raw;
            my $name = unpack 'Z*', substr $raw, 16, $length;
            substr $raw, 0, 16 + $length, '';
            if ($mask & 0x4000) {    # events were lost: anything may have changed
                $_->{changed}->($_, '') for map { values %$_ } values %listeners;
                next;
            }
            next if $name eq 'in' || $seen{"$watch/$name"}++;
            if ($mask & 0x8000) {    # the directory is gone and its watch with it
                my $gone = delete $listeners{$watch} || {};
                for my $listener (values %$gone) { delete $listener->{watch}; $listener->{next} = 0 }
                next;
            }
            $_->{changed}->($_, $name) for values %{$listeners{$watch} || {}};
        }
    }
}

# How long until a listener wants to be looked at, after one look; `$active`: it had news.
sub next_look {
    my ($listener, $active) = @_;
    my $now = monotonic();
    if (defined $listener->{watch}) { $listener->{next} = int($now) + 1 + $slow_look; return }    # all at the same moment
    $listener->{wait} = $active ? $poll_seconds[0] : $listener->{wait} * 2;
    $listener->{wait} = $poll_seconds[1] if $listener->{wait} > $poll_seconds[1];
    $listener->{next} = $now + $listener->{wait};
}
