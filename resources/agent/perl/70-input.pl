# ── What goes into a session ──
my $most_pending = 8 * 1048576;
my %staged;

sub op_stage {
    my ($id, $key, $offset, $body) = @_;
    bad_request('that is no key') if !defined $key || $key !~ /^[\w.-]{1,100}\z/;
    number_argument('offset', $offset);
    bad_request('more than 8 MB cannot be staged') if $offset + length $body > $most_pending;
    my $have = defined $staged{$key} ? length $staged{$key} : 0;
    bad_request("$have bytes are staged, and more came for offset $offset") if $offset > $have;
    bad_request('too much is staged') if !$have && keys %staged >= 16;
    $staged{$key} = '' if !$have;
    substr($staged{$key}, $offset) = $body;
    answer($id);
}

# The body of a request, or what was put together for it before.
sub staged_or {
    my ($key, $body) = @_;
    return $body if !defined $key || $key eq '';
    bad_request('nothing is staged under that key') if !defined $staged{$key};
    return delete $staged{$key};
}

sub must_listen {
    my ($directory) = @_;
    # Not the bell alone: a supervisor that has written how its shell ended still listens for a moment.
    my ($life) = life_of($directory);
    return if $life eq 'alive';
    die refusal('session_ended', 'The session has ended. Close it and create it again.') if $life eq 'ended';
    die refusal('session_not_found', "There is no session in $directory.") if !-e "$directory/meta";
    die refusal('session_lost', 'The session was lost. Close it and create it again.');
}

sub must_fit {
    my ($directory, $more, @pending) = @_;
    my $waiting = 0;
    for (@pending) { my $is = about("$directory/inbox/$_"); $waiting += $is->{size} if $is }
    return if $waiting + $more <= $most_pending;
    die refusal('input_full', "The program in the session has not read $waiting bytes of earlier input. Wait for it or stop it.", $waiting);
}

sub op_input {
    my ($id, $directory, $wanted, $key, $body) = @_;
    absolute_argument('directory', $directory);
    number_argument('number of the input', $wanted);
    my $bytes = staged_or($key, $body);
    my ($accepted, @pending) = inbox_of($directory);
    return answer($id, $wanted, 0) if $wanted && $wanted <= $accepted;
    must_listen($directory);
    must_fit($directory, length $bytes, @pending);
    my $draft = "$directory/inbox/." . random_hex(8);
    put_new($draft, $bytes) or die file_refusal();
    my $taken = eval { take_number($directory, $draft, $wanted, $accepted) };
    my $problem = $@;
    unlink $draft;
    die $problem if $problem;
    answer($id, $taken || $wanted, $taken ? 1 : 0);
}

# Gives a draft a number nobody has and rings; nothing when the wanted number is gone.
sub take_number {
    my ($directory, $draft, $wanted, $accepted) = @_;
    my $number = $wanted || $accepted + 1;
    while (!link $draft, sprintf '%s/inbox/%016d', $directory, $number) {
        die file_refusal() if $! != EEXIST;
        return if $wanted;
        $number++;
    }
    my $bell = bell_of($directory);
    if (!$bell) {
        unlink sprintf '%s/inbox/%016d', $directory, $number;
        must_listen($directory);
        die refusal('session_lost', 'The session was lost. Close it and create it again.');
    }
    # A full bell has rung already.
    syswrite $bell, "\n";
    return $number;
}

# The text goes to cmd/ under the caller's token, takes its number by a link, and then the line that loads it is typed.
# Whatever broke off is gone on with when the same token asks again.
sub op_command {
    my ($id, $directory, $number, $token, $line, $echo_length, $key, $body) = @_;
    absolute_argument('directory', $directory);
    bad_request('commands are numbered from 1 on') if number_argument('number of the command', $number) < 1;
    bad_request('that is no token') if !defined $token || $token !~ /^[A-Za-z0-9_-]{1,100}\z/;
    bad_request('there is no line to type') if !defined $line || !length $line;
    my $bytes = staged_or($key, $body);
    number_argument('length of the echo', $echo_length);
    bad_request('the echo is longer than what came') if $echo_length > length $bytes;
    -d "$directory/cmd" or die session_refusal($directory);
    my ($draft, $place) = ("$directory/cmd/.$token", "$directory/cmd/$number");
    my $mine = about($draft);
    my $there = about($place);
    my $again = $mine && $there && $mine->{inode} == $there->{inode};
    my $last = last_command($directory);
    die refusal('taken', 'Another command has that number.') if !$again && $last >= $number;
    if (!$again) {
        must_listen($directory);
        my ($accepted, @pending) = inbox_of($directory);
        must_fit($directory, length $line, @pending);
        put_over("$draft.line", $line);
        put_over($draft, substr $bytes, $echo_length);
        if (!link $draft, $place) {
            my $taken = $! == EEXIST;
            my $problem = file_refusal();
            unlink $draft, "$draft.line";
            die $taken ? refusal('taken', 'Another command has that number.') : $problem;
        }
    }
    my $typed = about("$draft.line");
    if ($typed && $typed->{size} > 0 && $typed->{links} == 1) {
        # In place before the line that reads it.
        put_over("$place.echo", substr $bytes, 0, $echo_length);
        my ($accepted) = inbox_of($directory);
        if (!eval { take_number($directory, "$draft.line", 0, $accepted); 1 }) {
            my $problem = $@;
            unlink $place, "$place.echo", $draft, "$draft.line";
            die $problem;
        }
    }
    forget_commands($directory, $number, $token);
    answer($id, 'sent');
}

# The texts of earlier commands are not needed any more, nor what was begun and given up.
sub forget_commands {
    my ($directory, $number, $token) = @_;
    my $cmd = "$directory/cmd";
    my @names = names_in($cmd);
    my %old;
    for my $name (grep { /^(\d+)(?:\.echo)?$/ && $1 < $number } @names) {
        my $is = about("$cmd/$name");
        $old{$is->{inode}} = 1 if $is;
        unlink "$cmd/$name";
    }
    for my $name (grep { /^\.([A-Za-z0-9_-]+)$/ && $1 ne $token } @names) {
        my $is = about("$cmd/$name") or next;
        my $given_up = $is->{links} == 1 && $is->{seconds} < time - 60;
        unlink "$cmd/$name", "$cmd/$name.line" if $old{$is->{inode}} || $given_up;
    }
}
