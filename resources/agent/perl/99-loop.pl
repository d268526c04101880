# ── Requests ──
# [where it runs, what does it, fewest arguments, whether there is a body]
my %operations = (
    hello       => ['quick', \&op_hello,       0],
    ping        => ['here',  \&op_ping,        0],
    cancel      => ['here',  \&op_cancel,      1],
    mkroot      => ['here',  \&op_mkroot,      1],
    start       => ['here',  \&op_start,       10],
    resource    => ['here',  \&op_resource,    1],
    clear       => ['quick', \&op_clear,       1],
    directories => ['here',  \&op_directories, 1],
    identify    => ['here',  \&op_identify,    1],
    look        => ['here',  \&op_look,        3],
    read        => ['here',  \&op_read,        3],
    follow      => ['here',  \&op_follow,      4],
    credit      => ['here',  \&op_credit,      2],
    unfollow    => ['here',  \&op_unfollow,    1],
    watch       => ['here',  \&op_watch,       2],
    unwatch     => ['here',  \&op_unwatch,     1],
    stage       => ['here',  \&op_stage,       2],
    input       => ['here',  \&op_input,       3],
    command     => ['here',  \&op_command,     6],
    resize      => ['here',  \&op_resize,      3],
    started     => ['here',  \&op_started,     4],
    holders     => ['here',  \&op_holders,     4],
    kill        => ['here',  \&op_kill,        0],
    archive     => ['here',  \&op_archive,     3],
    discard     => ['slow',  \&op_discard,     2],
    drop        => ['here',  \&op_drop,        2],
    exec        => ['here',  \&op_exec,        2],
    'f.read'    => ['quick', \&op_f_read,      2],
    'f.range'   => ['quick', \&op_f_range,     3],
    'f.write'   => ['quick', \&op_f_write,     4],
    'f.begin'   => ['quick', \&op_f_begin,     2],
    'f.put'     => ['quick', \&op_f_put,       2],
    'f.commit'  => ['slow',  \&op_f_commit,    4],
    'f.abort'   => ['quick', \&op_f_abort,     1],
    'f.stat'    => ['quick', \&op_f_stat,      1],
    'f.list'    => ['quick', \&op_f_list,      2],
    'f.walk'    => ['slow',  \&op_f_walk,      3],
    'f.real'    => ['quick', \&op_f_real,      1],
    'f.mkdir'   => ['quick', \&op_f_mkdir,     1],
    'f.hash'    => ['slow',  \&op_f_hash,      1],
    'f.remove'  => ['slow',  \&op_f_remove,    2],
    'f.link'    => ['quick', \&op_f_link,      2],
);
# Operations that take whatever comes last as variables, and those whose fields are all there is.
my %open_ended = map { $_ => 1 } qw(start exec kill);

sub receive {
    my ($fields, $body) = @_;
    my ($id, $op, @arguments) = @$fields;
    return refuse_request(substr($id, 0, 20), 'bad_request', 'The number of the request is not one.') if $id !~ /^\d{1,15}\z/;
    my $operation = $operations{defined $op ? $op : ''};
    if (!$operation || $operation->[0] eq 'here') { return perform($fields, $body) }
    my $where = $op eq 'f.remove' && !$arguments[1] ? 'quick' : $operation->[0];
    # So much is under way only when a disk does not answer.
    if ($held > $most_held) { return refuse_request($id, 'io', 'Too much waits for the disks of this host already.') }
    give_worker($where, {id => $id, op => $op, handle => $arguments[0], frame => frame($fields, $body)});
}

sub perform {
    my ($fields, $body) = @_;
    my ($id, $op, @arguments) = @$fields;
    my $operation = $operations{defined $op ? $op : ''};
    my $done = eval {
        bad_request('There is no operation ' . (defined $op ? "\"$op\"" : 'in it') . '.') if !$operation;
        my ($where, $do, $fewest) = @$operation;
        bad_request("$op needs $fewest arguments, and " . @arguments . ' came.') if @arguments < $fewest;
        if (!$open_ended{$op}) { $#arguments = $fewest - 1 }
        $do->($id, @arguments, $op eq 'kill' ? () : $body);
        1;
    };
    refused($id, $@) if !$done;
}

sub refused {
    my ($id, $problem) = @_;
    return refuse_request($id, @$problem{qw(code message)}, @{$problem->{more}}) if ref $problem eq 'Refusal';
    chomp $problem;
    refuse_request($id, 'io', "The helper failed: $problem");
}

sub op_cancel {
    my ($id, $which) = @_;
    refuse_request($which, 'cancelled', 'It was cancelled.') if cancel_work($which) || cancel_script($which);
    answer($id);
    serve_waiting();
}

# ── The loop ──
my $silence  = ($ENV{WAYMARK_AGENT_SILENCE} || '') =~ /^(\d+)\z/ ? $1 : 120;               # seconds without any frame after which the client is taken to be gone
my $most_out = 8 * 1048576;       # bytes of answers above which no more requests are taken
my @timers;

sub later { my ($seconds, $do) = @_; push @timers, [monotonic() + $seconds, $do] }

sub run_timers {
    my ($now) = @_;
    my @due = grep { $_->[0] <= $now } @timers;
    return if !@due;
    @timers = grep { $_->[0] > $now } @timers;
    $_->[1]->() for @due;
}

# Sessions live on; what works for this connection does not.
sub shut_down {
    my ($code) = @_;
    kill 'TERM', $_->{pid} for @workers;
    for my $program (values %programs) { kill 'KILL', -$program->{pid} if !$program->{line} && !defined $program->{status} }
    for my $handle (keys %drafts) { my ($draft) = split /\0/, $handle; unlink $draft }
    POSIX::_exit($code);
}

# What the main process has open. By perl's own close: perl counts the users of a descriptor, and one that is closed behind
# its back is never really closed again once its number is used anew.
sub close_channel {
    close $_->{socket} for @workers;
    close $_->{handle} for @followers;
    for my $program (values %programs) { $program->{$_} && close $program->{$_} for qw(out in) }
    close $inotify if $inotify;
}

sub main_loop {
    my ($input, $heard) = ('', monotonic());
    while (1) {
        my $now = monotonic();
        shut_down(0) if $now > $heard + $silence;
        run_timers($now);
        wake_followers($now);
        tell_due_watches($now);
        for my $entry (@followers, values %watch) { $entry->{look}->($entry) if $entry->{next} <= $now }
        reap() if %programs || @workers;
        stop_slow_workers();
        serve_waiting() if any_waiting();
        $frames_left = $frames_a_turn;
        flush_output();

        my ($r, $w) = ('', '');
        my $full = $answered > $most_out;
        my $events_in = $inotify ? events_wait($now) : 0;
        vec($r, 0, 1) = 1 if !$full;
        vec($r, fileno $inotify, 1) = 1 if $inotify && !$events_in;
        vec($w, 1, 1) = 1 if length $current || @answers || followed_waits();
        for my $worker (@workers) {
            vec($r, fileno $worker->{socket}, 1) = 1 if !$full;
            vec($w, fileno $worker->{socket}, 1) = 1 if length $worker->{out};
        }
        for my $program (values %programs) {
            vec($r, fileno $program->{out}, 1) = 1 if $program->{out};
            vec($w, fileno $program->{in},  1) = 1 if $program->{in};
        }
        my $n = select $r, $w, undef, time_to_wait(monotonic(), $heard, $events_in);
        next if $n <= 0;
        read_events() if $inotify && vec $r, fileno $inotify, 1;
        for my $worker (my @current = @workers) {
            write_worker($worker) if vec $w, fileno $worker->{socket}, 1;
            read_worker($worker)  if vec $r, fileno $worker->{socket}, 1;
        }
        for my $program (my @now = values %programs) {
            feed_program($program) if $program->{in}  && vec $w, fileno $program->{in},  1;
            read_program($program) if $program->{out} && vec $r, fileno $program->{out}, 1;
        }
        next if !vec $r, 0, 1;
        my $k = sysread STDIN, $input, 1048576, length $input;
        next if !defined $k && ($! == EINTR || $! == EAGAIN);
        shut_down(0) if !$k;
        while (my ($fields, $body) = take_frame(\$input)) {
            $heard = monotonic();
            receive($fields, $body);
        }
    }
}

sub time_to_wait {
    my ($now, $heard, $events_in) = @_;
    my $until = $heard + $silence;
    my @times = (map({ $_->[0] } @timers), map({ $_->{next}, $_->{ready_at} || $_->{due} || () } @followers, values %watch));
    push @times, $now + $events_in if $events_in;
    for (@times) { $until = $_ if $_ < $until }
    # Nothing tells when a child has ended but looking.
    my $ending  = grep { $_->{done} && $_->{quiet} && $now < $_->{quiet} + 0.3 } values %programs;
    my $longest = $ending ? 0.002 : %programs || grep({ $_->{dying} } @workers) ? 0.05 : any_waiting() ? 0.5 : 10;
    my $left = $until - $now;
    return $left < 0 ? 0 : $left > $longest ? $longest : $left;
}

$SIG{PIPE} = 'IGNORE';
$SIG{CHLD} = 'DEFAULT';
$SIG{$_} = sub { shut_down(0) } for qw(HUP INT TERM);
$0 = 'waymark-helper';
chdir '/';    # whatever the login directory is on may be taken away
binmode STDIN;
binmode STDOUT;
unblock(\*STDOUT);
unblock(\*STDIN);
start_notify();
main_loop();
