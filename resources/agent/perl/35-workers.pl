# ── Workers: copies of this program that do what may take long, so that a disk that hangs holds up no session ──
# Requests reach them as they came, one at a time; their answers are passed on as they are.
my %most    = (quick => 3, slow => 3);
# One that has been at it for longer than this does not count: its disk may never answer. Seconds, and an end to that.
my ($patience, $most_of_a_kind) = (2, 16);
my %waiting = (quick => [], slow => []);
my @workers;                # {pid, kind, socket, in, out, request}
my ($held, $most_held) = (0, 64 * 1048576);    # bytes of requests that wait for a worker
my %drafts;                 # unfinished uploads, removed at the end

sub give_worker {
    my ($kind, $request) = @_;
    push @{$waiting{$kind}}, $request;
    $held += length $request->{frame};
    serve_waiting();
}

sub serve_waiting {
    my $now = monotonic();
    for my $kind (keys %most) {
        while (@{$waiting{$kind}}) {
            my @mine = grep { $_->{kind} eq $kind && !$_->{dying} } @workers;
            my ($free) = grep { !$_->{request} } @mine;
            my $prompt = grep { $now < $_->{since} + $patience } @mine;
            last if !$free && ($prompt >= $most{$kind} || @mine >= $most_of_a_kind);
            $free ||= new_worker($kind);
            my $request = shift @{$waiting{$kind}};
            $held -= length $request->{frame};
            if (!$free) { refuse_request($request->{id}, 'io', "No process could be started: $!."); next }
            $free->{request} = $request;
            $free->{since} = $now;
            $free->{out} .= delete $request->{frame};
            write_worker($free);
        }
    }
}

sub new_worker {
    my ($kind) = @_;
    socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or return;
    my $parent = $$;
    my $pid = fork;
    return if !defined $pid;
    if (!$pid) {
        close $ours;
        close_channel();
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', '/dev/null';
        default_signals();
        $SIG{PIPE} = 'IGNORE';
        die_with_parent($parent);
        eval { work($theirs) };
        POSIX::_exit(0);
    }
    close $theirs;
    unblock($ours);
    my $worker = {pid => $pid, kind => $kind, socket => $ours, in => '', out => '', since => 0};
    push @workers, $worker;
    return $worker;
}

# The life of a worker. What it must tidy up when it is stopped half-way is in `$unfinished`.
our $unfinished;
my $in_worker = 0;

sub work {
    my ($socket) = @_;
    my $buffer = '';
    $in_worker = 1;
    $deliver = sub { write_all($socket, $_[0]) or POSIX::_exit(0) };
    $SIG{TERM} = sub { unlink $unfinished if defined $unfinished; POSIX::_exit(0) };
    while (1) {
        my ($fields, $body) = take_frame(\$buffer);
        if (!$fields) {
            my $n = sysread $socket, $buffer, 1048576, length $buffer;
            next if !defined $n && $! == EINTR;
            return if !$n;
            next;
        }
        perform($fields, $body);
    }
}

sub write_worker {
    my ($worker) = @_;
    while (length $worker->{out}) {
        my $n = syswrite $worker->{socket}, $worker->{out}, 262144;
        if (!defined $n) { next if $! == EINTR; return }    # its death is noticed on the reading side
        substr $worker->{out}, 0, $n, '';
    }
}

sub read_worker {
    my ($worker) = @_;
    my $n = sysread $worker->{socket}, $worker->{in}, 262144, length $worker->{in};
    return if !defined $n && ($! == EINTR || $! == EAGAIN);
    return worker_ended($worker->{pid}) if !$n;
    while ($worker->{in} =~ /^(\d+) (\d+)\n/) {
        my $length = $+[0] + $1 + $2;
        last if length $worker->{in} < $length;
        my $header = substr $worker->{in}, $+[0], $1;
        my $answer = substr $worker->{in}, 0, $length, '';
        next if !$worker->{request};
        queue_answer($answer);
        next if $header =~ /^\+/;
        note_draft($worker->{request}, $header);
        delete $worker->{request};
    }
    serve_waiting();
    # One more than there should be ends with its channel.
    return if $worker->{request} || (grep { $_->{kind} eq $worker->{kind} } @workers) <= $most{$worker->{kind}};
    @workers = grep { $_ != $worker } @workers;
    close $worker->{socket};
}

sub any_waiting { return @{$waiting{quick}} || @{$waiting{slow}} }

sub worker_ended {
    my ($pid) = @_;
    my ($worker) = grep { $_->{pid} == $pid } @workers;
    return if !$worker;
    @workers = grep { $_ != $worker } @workers;
    close $worker->{socket};
    if ($worker->{request}) {
        refuse_request($worker->{request}{id}, 'io', 'The process that worked on this ended before it was done.');
    }
    serve_waiting();
}

# An upload that was begun and not finished leaves a file; the end of the connection removes it.
sub note_draft {
    my ($request, $header) = @_;
    my ($sign, undef, @fields) = map { unescape_field($_) } split /\t/, $header, -1;
    if ($request->{op} eq 'f.begin' && $sign eq '=') { $drafts{$fields[0]} = 1 }
    elsif ($request->{op} =~ /^f\.(?:commit|abort)\z/) { delete $drafts{$request->{handle}} }
}

# True when the request waited or ran and will not be answered by anyone else now.
sub cancel_work {
    my ($id) = @_;
    for my $list (values %waiting) {
        my ($found) = grep { $_->{id} eq $id } @$list or next;
        @$list = grep { $_ != $found } @$list;
        $held -= length $found->{frame};
        return 1;
    }
    for my $worker (@workers) {
        next if !$worker->{request} || $worker->{request}{id} ne $id;
        delete $worker->{request};
        stop_worker($worker);
        return 1;
    }
    return 0;
}

sub stop_worker {
    my ($worker) = @_;
    $worker->{dying} = monotonic() + 1;
    kill 'TERM', $worker->{pid};
}

sub stop_slow_workers {
    my $now = monotonic();
    for my $worker (@workers) { kill 'KILL', $worker->{pid} if $worker->{dying} && $now > $worker->{dying} }
}
