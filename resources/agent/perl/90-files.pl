# ── Files, read side; all of these run in workers ──
sub path_argument {
    my ($path) = @_;
    die refusal('invalid_path', 'it is not an absolute path') if !defined $path || $path !~ m{^/} || $path =~ /\0/;
    return $path;
}

sub kind_of { my ($mode) = @_; return S_ISREG($mode) ? 'file' : S_ISDIR($mode) ? 'directory' : S_ISLNK($mode) ? 'symlink' : 'other' }
sub absent { return $! == ENOENT || $! == ENOTDIR || $! == ELOOP }
sub forbidden { return absent() || $! == EACCES || $! == EPERM }
sub permissions { return sprintf '%o', $_[0]{mode} & 07777 }

sub must_be_file {
    my ($is) = @_;
    die refusal('is_directory', 'it is a directory', 'EISDIR') if S_ISDIR($is->{mode});
    die refusal('not_a_file', 'it is a device, pipe or socket') if !S_ISREG($is->{mode});
}

# (handle, what stat says). Looked at before it is opened: opening a device or pipe may do something.
sub open_file {
    my ($path) = @_;
    my $is = about($path) or die file_refusal();
    must_be_file($is);
    sysopen my $handle, $path, O_RDONLY | O_NONBLOCK | O_NOCTTY or die file_refusal();
    $is = about($handle) or die file_refusal();
    must_be_file($is);
    return ($handle, $is);
}

sub too_large { my ($size) = @_; return refusal('too_large', "it has $size bytes, more than can be taken at once", $size) }

sub op_f_read {
    my ($id, $path, $most) = @_;
    my ($handle, $is) = open_file(path_argument($path));
    $most = number_argument('number of bytes', $most);
    die too_large($is->{size}) if $is->{size} > $most;
    # Files in /proc and growing ones do not have the size they say.
    my $bytes = $is->{size} > $max_body ? '' : read_at($handle, 0, $max_body + 1);
    die file_refusal() if !defined $bytes;
    my $size = length $bytes > $is->{size} ? length $bytes : $is->{size};
    die too_large($size) if length $bytes > $most;
    return answer($id, $size, $is->{mtime}, permissions($is), '', 1) if $size > $max_body;
    answer_body($id, [length $bytes, $is->{mtime}, permissions($is), sha256($bytes)], $bytes);
}

sub op_f_range {
    my ($id, $path, $offset, $length) = @_;
    my ($handle, $is) = open_file(path_argument($path));
    number_argument('offset', $offset);
    $length = number_argument('length', $length);
    $length = $max_body if $length > $max_body;
    my $bytes = read_at($handle, $offset, $length);
    die file_refusal() if !defined $bytes;
    answer_body($id, [$is->{size}, $is->{mtime}], $bytes);
}

sub op_f_stat {
    my ($id, $path) = @_;
    my $is = about(path_argument($path));
    return answer($id, kind_of($is->{mode}), $is->{size}, $is->{mtime}, permissions($is)) if $is;
    die file_refusal() if !absent();
    answer($id, '');
}

# Lines that go out in pieces of up to half a frame.
sub line_writer {
    my ($id) = @_;
    my $text = '';
    return (
        sub {
            $text .= joined_fields(@_) . "\n";
            return if length $text < $max_body / 2;
            answer_part($id, $text);
            $text = '';
        },
        sub { answer_body($id, [@_], $text) }
    );
}

# Names in a directory in byte order; nothing with $! set when it cannot be read.
sub sorted_names {
    my ($path, $hidden) = @_;
    opendir my $listing, $path or return;
    return [sort grep { $_ ne '.' && $_ ne '..' && ($hidden || !/^\./) } readdir $listing];
}

sub below { my ($path, $name) = @_; return $path =~ m{/\z} ? "$path$name" : "$path/$name" }

sub op_f_list {
    my ($id, $path, $hidden) = @_;
    my $names = sorted_names(path_argument($path), $hidden) or die file_refusal();
    my ($line, $finish) = line_writer($id);
    for my $name (@$names) {
        my $is = about(below($path, $name), 1) or next;    # gone meanwhile
        my $target = S_ISLNK($is->{mode}) ? about(below($path, $name)) : $is;
        $line->($target ? kind_of($target->{mode}) : 'symlink', $name);
    }
    $finish->();
}

# Directories in the order of their names, each with all its entries before what is below them.
sub op_f_walk {
    my ($id, $path, $hidden, $most) = @_;
    $most = number_argument('number of entries', $most);
    path_argument($path);
    # The top must be there and readable; what lies below may be skipped.
    sorted_names($path, $hidden) or die file_refusal();
    my ($line, $finish) = line_writer($id);
    my ($count, @open) = (0, $path);
    while (defined(my $directory = pop @open)) {
        my $names = sorted_names($directory, $hidden);
        if (!$names) { next if forbidden(); die file_refusal() }
        my @below;
        for my $name (@$names) {
            return $finish->(1) if $count >= $most;
            my $full = below($directory, $name);
            my $is   = about($full, 1);
            if (!$is) { next if forbidden(); die file_refusal() }
            my $kind = kind_of($is->{mode});
            my $target = $kind eq 'symlink' ? about($full) : $is;
            die file_refusal() if !$target && !forbidden();
            $kind = 'file' if $kind eq 'symlink' && $target && S_ISREG($target->{mode});
            $line->($kind, $kind eq 'directory' || !$target ? 0 : $target->{size}, $target ? $target->{mtime} : 0, $full);
            $count++;
            push @below, $full if $kind eq 'directory';
        }
        push @open, reverse @below;
    }
    $finish->(0);
}

sub op_f_real {
    my ($id, $path) = @_;
    my $real = resolved(path_argument($path));
    die file_refusal() if !defined $real;
    answer($id, $real);
}

sub op_f_hash {
    my ($id, $path) = @_;
    my ($handle) = open_file(path_argument($path));
    my $digest = sha256_of_handle($handle);
    die file_refusal() if !defined $digest;
    answer($id, $digest);
}

# Error number of what could not be removed, 0 when all is gone. Never follows a link.
sub remove_tree {
    my ($path) = @_;
    my $is = about($path, 1) or return $! == ENOENT ? 0 : $! + 0;
    if (!S_ISDIR($is->{mode})) { return unlink($path) || $! == ENOENT ? 0 : $! + 0 }
    for my $tries (1 .. 3) {
        opendir my $listing, $path or return $! + 0;
        my @names = grep { $_ ne '.' && $_ ne '..' } readdir $listing;
        closedir $listing;
        for my $name (@names) { my $problem = remove_tree(below($path, $name)); return $problem if $problem }
        return 0 if rmdir $path;
        my $problem = $! + 0;
        return 0 if $problem == ENOENT;
        # Somebody may have put something new into it.
        return $problem if $tries == 3 || $problem != Errno::ENOTEMPTY();
    }
}

sub op_f_remove {
    my ($id, $path, $recursive) = @_;
    path_argument($path);
    die refusal('permission', 'it is the root of all files') if $path =~ m{^/+\z};
    my $is = about($path, 1) or die file_refusal();
    if ($recursive) { my $problem = remove_tree($path); die file_refusal($problem) if $problem }
    elsif (S_ISDIR($is->{mode})) { rmdir $path or die file_refusal() }
    else { unlink $path or die file_refusal() }
    answer($id);
}
