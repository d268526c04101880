# ── Files, write side ──
# Where a write must go so that a link stays a link, also one whose target does not exist yet.
sub behind_links {
    my ($path) = @_;
    my $real = resolved($path);
    return $real if defined $real;
    die file_refusal() if $! != ENOENT;
    my $target = $path;
    for (1 .. 40) {
        my $to = readlink $target;
        return $target if !defined $to;
        $target = $to =~ m{^/} ? $to : below(parent_of($target), $to);
    }
    return $target;
}

# (target, what is there now) for a write to `$path`.
sub write_target {
    my ($path, $make_parents) = @_;
    path_argument($path);
    if ($make_parents) { make_path(parent_of($path), 0777) or die file_refusal() }
    my $target = behind_links($path);
    my $before = about($target);
    die file_refusal() if !$before && $! != ENOENT;
    must_be_file($before) if $before;
    return ($target, $before);
}

# (path of a new private file beside the target, its handle)
sub new_draft {
    my ($target) = @_;
    my $draft = below(parent_of($target), '.' . substr(leaf_of($target), 0, 100) . '.' . random_hex(6) . '.tmp');
    sysopen my $handle, $draft, O_RDWR | O_CREAT | O_EXCL, 0600 or die file_refusal();
    return ($draft, $handle);
}

sub mode_argument {
    my ($mode) = @_;
    return if !defined $mode || $mode eq '';
    bad_request('a mode is an octal number') if $mode !~ /^[0-7]{1,4}\z/;
    return oct $mode;
}

sub expect_argument {
    my ($expect) = @_;
    bad_request('any, absent or a sha256 is expected') if !defined $expect || $expect !~ /^(?:any|absent|[0-9a-f]{64})\z/;
    return $expect;
}

sub must_match {
    my ($target, $expect) = @_;
    return if $expect eq 'any';
    my $is = about($target, 1);
    die file_refusal() if !$is && $! != ENOENT;
    die refusal('conflict', 'it already exists', 'exists') if $is && $expect eq 'absent';
    return if $expect eq 'absent';
    die refusal('conflict', 'it is gone', 'gone') if !$is;
    my ($handle) = open_file($target);
    my $digest = sha256_of_handle($handle);
    die file_refusal() if !defined $digest;
    die refusal('conflict', 'its content changed', 'changed') if $digest ne $expect;
}

# The draft becomes the file. The comparison comes after the new bytes are safe and right before the rename, so only
# a change within that instant could be missed.
sub replace_with {
    my ($handle, $draft, $target, $mode, $expect) = @_;
    my $before = about($target);
    my $now    = about($handle) or die file_refusal();
    # Only root can give a file away; for others the owner is the same or the rename is a new file of theirs.
    if ($before && $> == 0 && ($before->{uid} != $now->{uid} || $before->{gid} != $now->{gid})) {
        chown $before->{uid}, $before->{gid}, $handle or die file_refusal();
    }
    $mode = $before ? $before->{mode} & 07777 : 0644 if !defined $mode;
    chmod $mode, $handle or die file_refusal();
    $handle->sync or die file_refusal();
    must_match($target, $expect);
    rename $draft, $target or die file_refusal();
    undef $unfinished;
    sysopen my $directory, parent_of($target), O_RDONLY or die file_refusal();
    $directory->sync or $! == Errno::EINVAL() or die file_refusal();
}

sub op_f_write {
    my ($id, $path, $mode, $expect, $make_parents, $body) = @_;
    $mode = mode_argument($mode);
    expect_argument($expect);
    my ($target) = write_target($path, $make_parents);
    my ($draft, $handle) = new_draft($target);
    $unfinished = $draft;
    my $done = eval {
        write_all($handle, $body) or die file_refusal();
        replace_with($handle, $draft, $target, $mode, $expect);
        1;
    };
    if (!$done) { my $problem = $@; unlink $draft if defined $unfinished; undef $unfinished; die $problem }
    answer($id, sha256($body));
}

# A draft is known by its own path and its target's, so that any worker can go on with it.
sub op_f_begin {
    my ($id, $path, $make_parents) = @_;
    my ($target) = write_target($path, $make_parents);
    my ($draft) = new_draft($target);
    answer($id, "$draft\0$target");
}

sub draft_argument {
    my ($text) = @_;
    my ($draft, $target) = split /\0/, defined $text ? $text : '', 2;
    my $sound = defined $target && $draft =~ m{^/} && $target =~ m{^/} && leaf_of($draft) =~ /^\..*\.[0-9a-f]{12}\.tmp\z/s;
    bad_request('that is no handle of a draft') if !$sound || parent_of($draft) ne parent_of($target);
    return ($draft, $target);
}

sub op_f_put {
    my ($id, $text, $offset, $body) = @_;
    my ($draft) = draft_argument($text);
    number_argument('offset', $offset);
    sysopen my $handle, $draft, O_WRONLY or die file_refusal();
    sysseek $handle, $offset, SEEK_SET;
    write_all($handle, $body) or die file_refusal();
    close $handle or die file_refusal();
    answer($id);
}

sub op_f_commit {
    my ($id, $text, $mode, $expect, $digest) = @_;
    my ($draft, $target) = draft_argument($text);
    $mode = mode_argument($mode);
    expect_argument($expect);
    sysopen my $handle, $draft, O_RDWR or die file_refusal();
    $unfinished = $draft;
    my $done = eval {
        my $actual = sha256_of_handle($handle);
        die file_refusal() if !defined $actual;
        die refusal('io', 'what arrived is not what was sent') if $actual ne ($digest || '');
        my $before = about($target);
        must_be_file($before) if $before;
        replace_with($handle, $draft, $target, $mode, $expect);
        1;
    };
    if (!$done) { my $problem = $@; unlink $draft if defined $unfinished; undef $unfinished; die $problem }
    answer($id, $digest);
}

sub op_f_abort {
    my ($id, $text) = @_;
    my ($draft) = draft_argument($text);
    unlink $draft or $! == ENOENT or die file_refusal();
    answer($id);
}

sub op_f_mkdir {
    my ($id, $path) = @_;
    make_path(path_argument($path), 0777) or die file_refusal();
    answer($id);
}

sub op_f_link {
    my ($id, $target, $path) = @_;
    path_argument($path);
    bad_request('a link points somewhere') if !defined $target || $target eq '' || $target =~ /\0/;
    my $is = about($path, 1);
    die refusal('is_directory', 'it is a directory', 'EISDIR') if $is && S_ISDIR($is->{mode});
    die refusal('exists', 'something already exists there', 'EEXIST') if $is && !S_ISLNK($is->{mode});
    my $draft = below(parent_of($path), '.' . substr(leaf_of($path), 0, 100) . '.' . random_hex(6) . '.tmp');
    symlink $target, $draft or die file_refusal();
    if (!rename $draft, $path) { my $problem = file_refusal(); unlink $draft; die $problem }
    answer($id);
}
