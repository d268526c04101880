# ── Where sessions live ──
my %network = map { $_ => 1 } qw(nfs nfs4 cifs smb3 smbfs fuse.sshfs lustre gpfs beegfs ceph fuse.ceph 9p afs glusterfs
  fuse.glusterfs fuse.s3fs fuse.rclone panfs orangefs pvfs2 ncpfs);
my $base;        # {path, type, why}

sub existing_part {
    my ($path) = @_;
    $path = parent_of($path) while $path ne '/' && !-e $path;
    my $real = resolved($path);
    return defined $real ? $real : $path;
}

# Type of the file system a directory is (or would be) on; '' when it cannot be told.
sub file_system_of {
    my ($path) = @_;
    my $real = existing_part($path);
    my ($best, $type) = (-1, '');
    for my $line (split /\n/, slurp('/proc/self/mountinfo', 4194304) || '') {
        my @fields = split / /, $line;
        my ($mark) = grep { $fields[$_] eq '-' } 6 .. $#fields or next;
        (my $point = $fields[4]) =~ s/\\([0-7]{3})/chr oct $1/ge;
        my $inside = $point eq '/' || $real eq $point || index($real, "$point/") == 0;
        # A later mount at the same place covers the earlier one.
        ($best, $type) = (length $point, $fields[$mark + 1]) if $inside && length $point >= $best;
    }
    return $type;
}

sub home_directory { return $ENV{HOME} if ($ENV{HOME} || '') =~ m{^/}; return (getpwuid $<)[7] || '/' }

sub base_directory {
    return $base if $base;
    my $home  = home_directory();
    my $state = ($ENV{XDG_STATE_HOME} || '') =~ m{^/} ? $ENV{XDG_STATE_HOME} : "$home/.local/state";
    my $path  = "$state/waymark/sessions";
    my $type  = file_system_of($path);
    if (!$network{$type}) {
        return $base = {path => $path, type => $type, why => "Sessions are kept in the home directory, which is on this host's own disk."}
          if writable_part($path);
        my $spare = spare_base("$state cannot be written");
        return $base = $spare;
    }
    return $base = spare_base("$state is on a network file system ($type), which can hold no sessions");
}

sub writable_part { my ($path) = @_; $path = parent_of($path) while $path ne '/' && !-e $path; return -w $path && -d _ }

# /var/tmp outlives restarts and is local; anybody may make names there, so what is found must be ours.
sub spare_base {
    my ($reason) = @_;
    my $path = "/var/tmp/waymark-$<";
    my $type = file_system_of($path);
    my $wrong = own_directory($path);
    return {path => '', type => $type, why => "$reason, and $wrong."} if $wrong;
    return {path => '', type => $type, why => "$reason, and /var/tmp is on one as well."} if $network{$type};
    return {path => $path, type => $type, why => "$reason; $path is used instead."};
}

# '' when a path is free or a directory of ours that nobody else may enter (mended if need be), else what is wrong with it.
sub own_directory {
    my ($path) = @_;
    my $is = about($path, 1);
    return $! == ENOENT ? '' : "$path cannot be looked at: $!" if !$is;
    return "$path is a symbolic link" if S_ISLNK($is->{mode});
    return "$path is not a directory" if !S_ISDIR($is->{mode});
    return "$path belongs to somebody else" if $is->{uid} != $>;
    return '' if !($is->{mode} & 077);
    return chmod(0700, $path) ? '' : "$path is open to others: $!";
}

sub make_own_directory {
    my ($path) = @_;
    my $wrong = own_directory($path);
    die refusal('permission', "$wrong.") if $wrong;
    make_path($path, 0700) or die file_refusal();
    # Looked at again: somebody may have been quicker.
    $wrong = own_directory($path);
    die refusal('permission', "$wrong.") if $wrong;
}

sub op_mkroot { my ($id, $path) = @_; make_own_directory(absolute_argument('root', $path)); answer($id) }

sub base_path {
    my $at = base_directory();
    die refusal('permission', $at->{why}) if $at->{path} eq '';
    return $at->{path};
}

sub op_resource {
    my ($id, $digest, $body) = @_;
    bad_request('that is no sha256') if !defined $digest || $digest !~ /^[0-9a-f]{64}\z/;
    my $base = base_path();
    my $path = "$base/.resource-$digest";
    my $is   = about($path, 1);
    my $have = $is && S_ISREG($is->{mode}) && $is->{uid} == $> && $is->{size} > 0;
    return answer($id, $have ? 'have' : 'need') if !length $body;
    if (!$have) {
        bad_request('the resource is damaged: its sha256 is another') if sha256($body) ne $digest;
        make_own_directory($base);
        put_over($path, $body);
    }
    answer($id, 'have');
}

# ── sha256: perl's own module, or the program ──
my $digest_module;

sub has_digest { $digest_module = eval { require Digest::SHA; 1 } ? 1 : 0 if !defined $digest_module; return $digest_module }

sub sha256 {
    return Digest::SHA::sha256_hex($_[0]) if has_digest();
    my $text = piped_digest(sub { write_all($_[0], $_[1]) }, $_[0]);
    return $text;
}

# Of an open file from its start.
sub sha256_of_handle {
    my ($handle) = @_;
    sysseek $handle, 0, SEEK_SET;
    my $digest = has_digest() ? Digest::SHA->new(256) : undef;
    return piped_digest(sub { each_piece($handle, sub { write_all($_[0], $_[1]) }, $_[0]) }) if !$digest;
    each_piece($handle, sub { $digest->add($_[1]); 1 }) or return;
    return $digest->hexdigest;
}

sub each_piece {
    my ($handle, $take, $first) = @_;
    while (1) {
        my $n = sysread $handle, my $piece, 1048576;
        next if !defined $n && $! == EINTR;
        return 0 if !defined $n;
        return 1 if !$n;
        $take->($first, $piece) or return 0;
    }
}

sub piped_digest {
    my ($write, $bytes) = @_;
    (pipe(my $in_read, my $in_write) && pipe(my $out_read, my $out_write)) or die file_refusal();
    my $pid = fork;
    defined $pid or die file_refusal();
    if (!$pid) {
        default_signals();
        dup2(fileno $in_read,   0);
        dup2(fileno $out_write, 1);
        close_others();
        { no warnings 'exec'; exec 'sha256sum'; }
        POSIX::_exit(127);
    }
    close $in_read;
    close $out_write;
    my $written = $write->($in_write, $bytes);
    my $error = $! + 0;
    close $in_write;
    my $text = '';
    1 while (sysread($out_read, $text, 256, length $text) || 0) > 0;
    waitpid $pid, 0;
    $! = $error;
    return if !$written;
    die refusal('io', 'neither Digest::SHA nor sha256sum is there') if $text !~ /^([0-9a-f]{64})/;
    return $1;
}
