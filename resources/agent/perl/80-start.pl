# ── Sessions begin, end and give space back ──
my %helper_arguments = (perl => ['perl', '-'], python3 => ['python3', '-I', '-']);
my @bash_places = qw(/bin/bash /usr/bin/bash /usr/local/bin/bash /opt/homebrew/bin/bash);

sub find_bash {
    for my $path (@bash_places, map { "$_/bash" } grep { m{^/} } split /:/, $ENV{PATH} || '') {
        return $path if -x $path && !-d _;
    }
    return '';
}

sub session_environment {
    my ($order) = @_;
    my %environment = clean_environment();
    $environment{PATH} = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' if !length($environment{PATH} || '');
    $environment{HOME} = home_directory() if !defined $environment{HOME};
    $environment{LANG} = 'C.UTF-8' if !defined $environment{LANG} && !defined $environment{LC_ALL};
    with_given(\%environment, @{$order->{given}});
    $environment{TERM}            = 'xterm-256color';
    $environment{WAYMARK_NONCE}   = $order->{nonce};
    $environment{WAYMARK_SESSION} = $order->{session};
    $environment{WAYMARK_PROFILE} = $order->{profile} ? 1 : 0;
    $environment{WAYMARK_LIMIT}   = $order->{limit};
    return \%environment;
}

sub op_start {
    my ($id, $directory, $session, $nonce, $file, $rows, $cols, $cwd, $profile, $limit, $kinds, @given) = @_;
    pop @given;    # the body
    absolute_argument('directory', $directory);
    bad_request('that is no id of a session') if !defined $session || $session !~ /^[\w.-]{1,100}\z/;
    bad_request('that is no nonce') if !defined $nonce || $nonce !~ /^\w{1,100}\z/;
    bad_request('that is no name of a resource') if !defined $file || $file !~ /^\.resource-[0-9a-f]{64}\z/;
    number_argument('size', $_) for $rows, $cols;
    absolute_argument('working directory', $cwd);
    number_argument('limit', $limit);
    my @kinds = map { [split /:/] } split /,/, defined $kinds ? $kinds : '';
    for (@kinds) {
        bad_request('a kind of supervisor is written perl:<sha256> or python3:<sha256>')
          if !$helper_arguments{$_->[0]} || ($_->[1] || '') !~ /^[0-9a-f]{64}\z/;
    }
    my $root = base_path();
    bad_request("there is no resource $file") if !-f "$root/$file";
    my $bash = find_bash();
    die refusal('shell_missing', 'Sessions need bash, and none was found. Install bash.') if $bash eq '';
    if (!$limit) {
        my ($free) = disk_space(parent_of($directory));
        $limit = 8 << 30;
        $limit = int($free / 2) if $free && $free / 2 < $limit;
        $limit = 1 << 20 if $limit < 1 << 20;
    }
    my $order = {
        id => $id, directory => $directory, session => $session, nonce => $nonce, rows => $rows, cols => $cols, cwd => $cwd,
        profile => $profile, limit => $limit, given => \@given, kinds => \@kinds, root => $root,
        start_file => "$root/$file", bash => $bash, failures => [],
    };
    $order->{environment} = session_environment($order);
    next_kind($order);
}

# Starts the next kind of supervisor there is; what it says decides.
sub next_kind {
    my ($order) = @_;
    my $kind = shift @{$order->{kinds}};
    if (!$kind) {
        my $tried = join '; ', @{$order->{failures}};
        return refuse_request($order->{id}, $order->{problem}, $tried) if $order->{problem};
        return refuse_request($order->{id}, 'supervisor_missing',
            'Sessions need perl (with its POSIX module) or python3, and neither could be started. Install perl.', $tried);
    }
    my ($name, $digest) = @$kind;
    my $source = slurp("$order->{root}/.resource-$digest");
    if (!defined $source || !length $source) {
        push @{$order->{failures}}, "$name: its program is not in $order->{root}";
        return next_kind($order);
    }
    spawn(
        command => [@{$helper_arguments{$name}}, @$order{qw(directory rows cols cwd start_file bash)}],
        environment => $order->{environment}, cwd => '/', feed => $source, limit => 4096, both => 1, line => 1,
        done => sub { supervisor_said($order, $name, $_[0]) },
    );
}

sub supervisor_said {
    my ($order, $name, $program) = @_;
    my ($verdict, $code, $text) = $program->{buffer} =~ /^(OK|ERR) (\S+) ?(.*)/m;
    return answer($order->{id}, 'started') if ($verdict || '') eq 'OK';
    $code ||= '';
    return same_order($order, monotonic() + 2) if $code eq 'session_exists';
    return refuse_request($order->{id}, 'cwd_missing', "The directory $order->{cwd} cannot be entered: $text.", $text) if $code eq 'cwd_missing';
    return refuse_request($order->{id}, 'shell_missing', "Sessions need bash: $text. Install bash.") if $code eq 'shell_missing';
    # It ran; what went wrong is not that it is missing.
    $order->{problem} = $program->{buffer} =~ /No space left|quota/ ? 'no_space' : 'io' if $code eq 'io';
    my $line = $program->{buffer} =~ /^\s*(\S[^\n]*)/ ? $1 : 'it could not be started';
    push @{$order->{failures}}, "$name: $line";
    next_kind($order);
}

# A directory of that name is there. It is this very order's when an earlier try went through and its answer was lost.
sub same_order {
    my ($order, $until) = @_;
    my $meta = meta_of($order->{directory});
    return answer($order->{id}, $meta->{id} eq $order->{session} ? 'started' : 'exists') if $meta;
    my $is = about($order->{directory});
    # It may be in the making right now.
    return answer($order->{id}, 'exists') if !$is || monotonic() > $until || $is->{seconds} < time - 10;
    later(0.02, sub { same_order($order, $until) });
}

sub op_clear {
    my ($id, $directory) = @_;
    absolute_argument('directory', $directory);
    my $is = about($directory, 1);
    return answer($id, 1) if !$is && $! == ENOENT;
    die file_refusal() if !$is;
    my $abandoned = $is->{seconds} < time - 10 && !-e "$directory/meta" && !bell_of($directory);
    return answer($id, 0) if !$abandoned;
    my $problem = remove_tree($directory);
    die file_refusal($problem) if $problem;
    answer($id, 1);
}

sub op_archive {
    my ($id, $directory, $root, $session) = @_;
    absolute_argument('directory', $directory);
    absolute_argument('root', $root);
    bad_request('that is no id of a session') if !defined $session || $session !~ /^[\w.-]{1,100}\z/;
    my $kept = "$root/.closed-$session";
    my $meta = meta_of($directory);
    if ($meta && $meta->{id} eq $session) { rename $directory, $kept or die file_refusal() }
    elsif (!-d $kept) { die refusal('session_not_found', "There is no session in $directory.") }
    answer($id);
}

sub op_discard {
    my ($id, $root, $before) = @_;
    absolute_argument('root', $root);
    bad_request('that is no time') if !defined $before || $before !~ /^\d{1,15}(?:\.\d+)?\z/;
    my $count = 0;
    for my $name (names_in($root)) {
        next if $name !~ /^\.closed-/ && $name !~ /\.failed\./;
        # A rename sets the change time: the moment of closing.
        my $changed = (lstat "$root/$name")[10];
        next if !defined $changed || $changed * 1000 >= $before;
        my $problem = remove_tree("$root/$name");
        die file_refusal($problem) if $problem;
        $count++ if $name =~ /^\.closed-/;
    }
    answer($id, $count);
}

# ── Giving back the log's oldest bytes, as supervisor.pl does it ──
sub op_drop {
    my ($id, $directory, $wish) = @_;
    absolute_argument('directory', $directory);
    number_argument('offset', $wish);
    -e "$directory/spool" or die session_refusal($directory);
    my $low = low_of($directory);
    return answer($id, $low) if -e "$directory/nopunch" || $wish <= $low;
    my $bell = $in_worker ? undef : bell_of($directory);
    if ($bell) {
        my $draft = "$directory/.want-low." . random_hex(6);
        # A link takes no block: on a full disk this is what helps.
        symlink $wish, $draft or die file_refusal();
        if (!rename $draft, "$directory/want-low") { my $problem = file_refusal(); unlink $draft; die $problem }
        syswrite $bell, "\n";
        return dropped_soon($id, $directory, $wish, monotonic() + 2);
    }
    return answer($id, drop_to($directory, $wish)) if $in_worker;
    drop_alone($id, $directory, $wish);
}

sub drop_alone {
    my ($id, $directory, $wish) = @_;
    give_worker('slow', {id => $id, op => 'drop', frame => frame([$id, 'drop', $directory, $wish])});
}

# The supervisor takes the wish away when it has seen to it; one that was about to end may not have seen it.
sub dropped_soon {
    my ($id, $directory, $wish, $until) = @_;
    return answer($id, low_of($directory)) if !-l "$directory/want-low" || monotonic() > $until;
    if (!bell_of($directory)) {
        unlink "$directory/want-low";
        return drop_alone($id, $directory, $wish);
    }
    later(0.01, sub { dropped_soon($id, $directory, $wish, $until) });
}

sub drop_to {
    my ($directory, $wish) = @_;
    sysopen my $log, "$directory/spool", O_RDWR or die session_refusal($directory);
    # Whoever holds the lock sees to it.
    return low_of($directory) if !flock $log, 2 | 4;
    my $low  = low_of($directory);
    my $size = about($log)->{size};
    $wish = $size if $wish > $size;
    $wish -= $wish % 4096;
    return $low if $wish <= $low || !$CALL{fallocate};
    # Readers learn the number before the bytes are gone; `low.new` is there already, so a full disk is no obstacle.
    sysopen my $handle, "$directory/low.new", O_WRONLY | O_CREAT, 0600 or die file_refusal();
    write_all($handle, sprintf "%-31d\n", $wish) or die file_refusal();
    close $handle;
    link "$directory/low", "$directory/low.old";
    rename "$directory/low.new", "$directory/low" or die file_refusal();
    rename "$directory/low.old", "$directory/low.new";
    return syscall($CALL{fallocate}, fileno $log, 3, $low, $wish - $low) == 0 ? $wish : low_of($directory);
}
