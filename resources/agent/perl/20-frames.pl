# ── Frames ──
my $max_header = 65536;
my $max_body   = 1048576;

sub escape_field {
    my ($text) = @_;
    $text =~ s/([%\t\n\r\0])/sprintf '%%%02X', ord $1/ge;
    return $text;
}

sub unescape_field {
    my ($text) = @_;
    $text =~ s/%(25|09|0A|0D|00)/chr hex $1/ge;
    return $text;
}

sub joined_fields { return join "\t", map { defined $_ ? escape_field($_) : '' } @_ }

# `$_[1]` is the body; it is not copied before it is joined.
sub frame {
    my $header = joined_fields(@{$_[0]});
    my $body = defined $_[1] ? length $_[1] : 0;
    return length($header) . " $body\n$header" . ($body ? $_[1] : '');
}

# Takes one whole frame off the front of a buffer: (fields, body), or nothing yet.
sub take_frame {
    my ($buffer) = @_;
    if ($$buffer !~ /^(\d{1,8}) (\d{1,8})\n/) {
        fatal('what came on standard input is no frame') if length $$buffer > 18 || $$buffer =~ /[^\d \n]/;
        return;
    }
    my ($header, $body, $start) = ($1, $2, $+[0]);
    if ($header < 1 || $header > $max_header || $body > $max_body) {
        fatal("a frame of $header and $body bytes came, more than the $max_header and $max_body that are allowed");
    }
    return if length $$buffer < $start + $header + $body;
    my @fields = map { unescape_field($_) } split /\t/, substr($$buffer, $start, $header), -1;
    my $content = substr $$buffer, $start + $header, $body;
    substr $$buffer, 0, $start + $header + $body, '';
    return (\@fields, $content);
}

sub fatal {
    syswrite STDERR, "waymark: the helper ends: $_[0]\n";
    shut_down(1);
}

# ── The way out: answers before followed bytes; a frame that has begun is finished first ──
my $current  = '';       # of the frame on its way, what is not written yet
my @answers  = ();
my $answered = 0;        # bytes in @answers
my $deliver  = \&queue_answer;    # a worker hands its answers to the main process instead

sub queue_answer { push @answers, $_[0]; $answered += length $_[0] }

sub answer { my $id = shift; $deliver->(frame(['=', $id, @_])) }
sub answer_body { my ($id, $fields) = @_; $deliver->(frame(['=', $id, @$fields], $_[2])) }
sub answer_part { $deliver->(frame(['+', $_[0]], $_[1])) }

sub refuse_request {
    my ($id, $code, @texts) = @_;
    # What came may be repeated in them, and a header has its limit.
    $deliver->(frame(['!', $id, $code, map { substr $_, 0, 4096 } @texts]));
}

# Writes what can be written without waiting.
sub flush_output {
    while (1) {
        if (!length $current) {
            if (@answers) { $current = shift @answers; $answered -= length $current }
            else { $current = next_followed(); last if !length $current }
        }
        my $n = syswrite STDOUT, $current;
        if (!defined $n) {
            next if $! == EINTR;
            return if $! == EAGAIN || $! == EWOULDBLOCK;
            shut_down(0);
        }
        substr $current, 0, $n, '';
    }
}

# ── Refusals: an operation gives up with `die refusal(...)` ──
sub refusal { return bless {code => $_[0], message => $_[1], more => [@_[2 .. $#_]]}, 'Refusal' }
sub bad_request { die refusal('bad_request', $_[0]) }

my %file_errors = (
    ENOENT       => ['not_found',     'it does not exist'],
    EISDIR       => ['is_directory',  'it is a directory'],
    ENOTDIR      => ['not_directory', 'it, or a part of the path to it, is not a directory'],
    EACCES       => ['permission',    'permission denied'],
    EPERM        => ['permission',    'the operation is not permitted'],
    EEXIST       => ['exists',        'something already exists there'],
    ENOTEMPTY    => ['not_empty',     'the directory is not empty'],
    ENOSPC       => ['no_space',      'the disk is full'],
    EDQUOT       => ['no_space',      'the disk quota is used up'],
    EROFS        => ['read_only',     'the file system is read-only'],
    ENAMETOOLONG => ['invalid_path',  'the name is too long'],
    ELOOP        => ['invalid_path',  'symbolic links form a loop'],
    ENXIO        => ['not_a_file',    'it is a device or socket'],
);
my %error_names;
for my $name (keys %file_errors) { my $number = Errno->can($name); $error_names{$number->()} = $name if $number }

# A failed system call ($!, or the one given) as a refusal: the client makes the sentence from the error's name.
sub file_refusal {
    my ($error) = @_;
    local $! = $error if defined $error;
    my $name = $error_names{$! + 0};
    return refusal('io', lcfirst "$!", 'errno ' . ($! + 0)) if !$name;
    return refusal(@{$file_errors{$name}}, $name);
}

# The same for a session's own files, where a missing one means that there is no such session.
sub session_refusal {
    my ($directory) = @_;
    return refusal('session_not_found', "There is no session in $directory.") if $! == ENOENT || $! == ENOTDIR;
    return file_refusal();
}
