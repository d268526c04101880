# ── Following logs and watching directories ──
my $frame_bytes   = 65536;
my $gather        = 0.003;    # while much output flows it is read in pieces this far apart, in seconds
my $much          = 16384;
my $watch_pause   = 0.001;
my $frames_a_turn = 16;
my @followers;                # served in turn
my %follower;                 # by the client's number
my %watch;

sub op_follow {
    my ($id, $fid, $directory, $offset, $credit) = @_;
    number_argument('number of the follower', $fid);
    number_argument('offset', $offset);
    number_argument('credit', $credit);
    bad_request("follower $fid is there already") if $follower{$fid};
    my $entry = {fid => $fid, directory => $directory, offset => $offset, credit => $credit, ready => 1, check => 1,
        sent => 0, over => 0, changed => \&follower_changed, look => \&look_at_follower};
    # Listened to first: what comes after this is told, what came before is read.
    listen_to($entry, $directory);
    if (!sysopen $entry->{handle}, "$directory/spool", O_RDONLY) {
        my $why = session_refusal($directory);
        stop_listening($entry);
        die $why;
    }
    $follower{$fid} = $entry;
    push @followers, $entry;
    answer($id);
}

sub op_credit {
    my ($id, $fid, $bytes) = @_;
    number_argument('credit', $bytes);
    $follower{$fid}{credit} += $bytes if $follower{$fid};
}

sub op_unfollow { my ($id, $fid) = @_; end_follower($follower{$fid}) if $follower{$fid}; answer($id) }

sub end_follower {
    my ($entry) = @_;
    stop_listening($entry);
    close $entry->{handle};
    delete $follower{$entry->{fid}};
    @followers = grep { $_ != $entry } @followers;
}

sub follower_changed {
    my ($entry, $name) = @_;
    if ($name ne 'spool') { $entry->{check} = 1 if $name ne 'marks'; $entry->{ready} = 1; return }
    return if $entry->{ready};
    my $now = monotonic();
    my $at  = $entry->{much} ? $entry->{sent} + $gather : 0;
    if ($at <= $now) { $entry->{ready} = 1; return }
    $entry->{ready_at} = $at;
}

# Without events, and once a second for a death that causes none.
sub look_at_follower {
    my ($entry) = @_;
    my $is     = about($entry->{handle});
    my $active = $is && $is->{size} > $entry->{offset};
    my $now    = monotonic();
    if ($active || $now > ($entry->{checked} || 0) + $slow_look * 0.9) {
        $entry->{checked} = $now;
        $entry->{ready} = $entry->{check} = 1;
    }
    next_look($entry, $active);
}

sub wake_followers {
    my ($now) = @_;
    for my $entry (@followers) {
        next if !$entry->{ready_at} || $entry->{ready_at} > $now;
        delete $entry->{ready_at};
        $entry->{ready} = 1;
    }
}

sub followed_waits {
    for my $entry (@followers) { return 1 if $entry->{ready} && $entry->{credit} > 0 }
    return 0;
}

my $frames_left = 0;

# The next frame of followed bytes, or '' when there is none or others should have a turn.
sub next_followed {
    return '' if $frames_left <= 0;
    for (1 .. @followers) {
        my $entry = shift @followers;
        push @followers, $entry;
        next if !$entry->{ready} || $entry->{credit} <= 0;
        my $frame = followed_frame($entry);
        next if !length $frame;
        $frames_left--;
        return $frame;
    }
    return '';
}

sub followed_frame {
    my ($entry) = @_;
    while (1) {
        my $wanted = $entry->{credit} < $frame_bytes ? $entry->{credit} : $frame_bytes;
        sysseek $entry->{handle}, $entry->{offset}, SEEK_SET;
        my $n = sysread($entry->{handle}, my $bytes, $wanted);
        next if !defined $n && $! == EINTR;
        if ($n) {
            # Looked at after reading: it moves before the bytes go.
            my $low = low_of_follower($entry);
            if ($low > $entry->{offset}) {
                my $from = $entry->{offset};
                $entry->{offset} = $low;
                return frame(['g', $entry->{fid}, $from, $low]);
            }
            my $is = about($entry->{handle});
            my $frame = frame(['d', $entry->{fid}, $entry->{offset}, $is ? $is->{mtime} : ''], $bytes);
            $entry->{offset} += $n;
            $entry->{credit} -= $n;
            $entry->{sent}  = monotonic();
            $entry->{much}  = $n >= $much;
            $entry->{ready} = 0 if $n < $wanted && !$entry->{check} && !$entry->{over};
            next_look($entry, 1) if !defined $entry->{watch};
            return $frame;
        }
        if ($entry->{over}) {
            my $frame = frame(['e', $entry->{fid}, $entry->{offset}]);
            end_follower($entry);
            return $frame;
        }
        if ($entry->{check}) {
            $entry->{check} = 0;
            # Read once more after the end was seen: the last bytes may have come in between.
            if (follower_over($entry)) { $entry->{over} = 1; next }
        }
        $entry->{ready} = 0;
        return '';
    }
}

# The name may belong to another session by now; this one is over then.
sub same_session {
    my ($entry) = @_;
    my $mine  = about($entry->{handle});
    my $there = about("$entry->{directory}/spool");
    return $mine && $there && $mine->{inode} == $there->{inode} && $mine->{device} == $there->{device};
}

sub follower_over {
    my ($entry) = @_;
    return 1 if !same_session($entry);
    return (life_of($entry->{directory}))[0] ne 'alive';
}

sub low_of_follower {
    my ($entry) = @_;
    my $low = low_of($entry->{directory});
    return $low > $entry->{offset} && same_session($entry) ? $low : 0;
}

# ── Watches ──
sub op_watch {
    my ($id, $wid, $directory) = @_;
    number_argument('number of the watch', $wid);
    bad_request("watch $wid is there already") if $watch{$wid};
    my $entry = {wid => $wid, directory => $directory, told => 0, changed => \&watch_changed, look => \&look_at_watch};
    listen_to($entry, $directory);
    $entry->{signature} = directory_signature($directory);
    $watch{$wid} = $entry;
    answer($id);
}

sub op_unwatch { my ($id, $wid) = @_; stop_listening(delete $watch{$wid}) if $watch{$wid}; answer($id) }

sub watch_changed {
    my ($entry, $name) = @_;
    return if $name eq 'spool';
    tell_watch($entry);
}

sub tell_watch {
    my ($entry) = @_;
    return if $entry->{due};
    my $now = monotonic();
    if ($now < $entry->{told} + $watch_pause) { $entry->{due} = $entry->{told} + $watch_pause; return }
    $entry->{told} = $now;
    queue_answer(frame(['c', $entry->{wid}]));
}

sub tell_due_watches {
    my ($now) = @_;
    for my $entry (values %watch) {
        next if !$entry->{due} || $entry->{due} > $now;
        delete $entry->{due};
        $entry->{told} = $now;
        queue_answer(frame(['c', $entry->{wid}]));
    }
}

sub directory_signature {
    my ($directory) = @_;
    my $is = about($directory);
    return '' if !$is;
    my $marks = about("$directory/marks");
    return join ' ', $is->{inode}, $is->{mtime}, $marks ? $marks->{size} : 0, life_of($directory);
}

sub look_at_watch {
    my ($entry) = @_;
    my $signature = directory_signature($entry->{directory});
    my $active    = $signature ne $entry->{signature};
    $entry->{signature} = $signature;
    tell_watch($entry) if $active;
    next_look($entry, $active);
}
