# Copies a workspace into a checkpoint, or a checkpoint into a new workspace, on the computer that holds both.
# The twin of copy.py: same arguments, same answers, same files. docs/adr/0010-checkpoints.md says why it is so.
# Arguments: size|copy|restore ROOT BASE ID PREVIOUS KEEP EXCLUDE ORIGIN
#   BASE/ID/files     the copy; BASE/ID/manifest: what it holds and how the file looked then; BASE/ID/answer: what was said
#   PREVIOUS, KEEP    ids of checkpoints (KEEP: comma-separated, * = all); whatever else lies in BASE is a leaving and goes
#   EXCLUDE           regular expression over paths below ROOT; ORIGIN: where the files of a restored checkpoint once lay
use strict;
use warnings;
use Fcntl qw(:flock :mode O_RDONLY O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK);
use Errno qw(ENOENT ENOTDIR ENOSPC EEXIST);
use File::Path ();

my ($op, $root, $base, $id, $previous, $keep, $exclude, $origin) = @ARGV;
my $piece    = 1048576;
my $reserve  = 67108864;    # bytes that are left free
my $shown    = 20;          # notes that are told by name
my $tries    = 3;           # for a file that changes while it is copied
my $clone    = 0x40049409;  # FICLONE of Linux
my $zeros    = "\0" x $piece;
my $precise  = eval { require Time::HiRes; defined &Time::HiRes::lstat && defined &Time::HiRes::utime };
my $excluded = $exclude eq '' ? undef : qr/\A(?:$exclude)\z/s;
my @notes;
my $noted = 0;
$| = 1;
umask 077;
binmode STDOUT;

sub escaped { my ($text) = @_; $text =~ s/([^A-Za-z0-9_.\/-])/sprintf '%%%02x', ord $1/ge; return $text }
sub note { my ($what, $path) = @_; $noted++; push @notes, "note $what " . escaped($path) if @notes < $shown }
sub look { my ($path) = @_; return $precise ? Time::HiRes::lstat($path) : lstat $path }
# As the manifest has it, but for the last word: may it have changed unseen?
sub head_of { my ($kind, $size, @is) = @_; return join ' ', $kind, $is[2] & 07777, $size, int $is[9], int $is[10], $is[1] }
sub is_full { return $! == ENOSPC || (exists $!{EDQUOT} && $!{EDQUOT}) }

sub answer {
    my ($status, %said) = @_;
    my $text = "waymark-checkpoint 1\nstatus $status\n";
    $text .= "$_ $said{$_}\n" for sort keys %said;
    $text .= "$_\n" for @notes;
    return $text . "notes $noted\nend\n";
}

sub finish { print answer(@_); exit 0 }

sub free_bytes {
    my ($path) = @_;
    open my $df, '-|', 'df', '-Pk', $path or return '';
    my @lines = <$df>;
    close $df;
    return '' if @lines < 2;
    return $lines[-1] =~ /\s(\d+)\s+\d+%\s/ ? $1 * 1024 : '';
}

# Copies made since the machine started are as long as they were written: only a power cut can shorten them.
sub boot { open my $file, '<', '/proc/sys/kernel/random/boot_id' or return ''; my $line = <$file>; chomp $line; return $line }

# Keeps in $! why it could not be made.
sub make_path {
    my ($path) = @_;
    return 1 if -d $path;
    return 0 if $path =~ m{\A(.*[^/])/+[^/]+/*\z}s && !make_path($1);
    return 1 if mkdir $path, 0700;
    my $why = $!;
    return 1 if -d $path;
    $! = $why;
    return 0;
}
sub remove { my ($path) = @_; File::Path::remove_tree($path, {error => \my $wrong}); return !-e $path }

# ── What is there ──
# [kind, path, stat…] of everything below the root, parents first, in the order of bytes. Whole seconds.
sub walk {
    chdir $root or die "$root cannot be read: $!\n";
    my @found;
    my @waiting = ('');
    while (defined(my $folder = shift @waiting)) {
        my $handle;
        if (!opendir $handle, $folder eq '' ? '.' : $folder) {
            die "$root cannot be read: $!\n" if $folder eq '';
            note('unreadable', $folder) if $! != ENOENT;
            next;
        }
        my @names = sort grep { $_ ne '.' && $_ ne '..' } readdir $handle;
        closedir $handle;
        my @folders;
        for my $name (@names) {
            my $path = $folder eq '' ? $name : "$folder/$name";
            next if defined $excluded && $path =~ $excluded;
            my @is = lstat $path or next;
            my $type = $is[2] & 0170000;
            if    ($type == 0100000) { push @found, ['F', $path, @is] }
            elsif ($type == 0040000) { next if "$root/$path" eq $base; push @found, ['D', $path, @is]; push @folders, $path }
            elsif ($type == 0120000) { push @found, ['L', $path, @is] }
            else                     { note('special', $path) }
        }
        unshift @waiting, @folders;
    }
    return \@found;
}

# What an earlier checkpoint holds, parents first: head, path and, of a link, its target.
sub read_manifest {
    my ($folder) = @_;
    open my $file, '<', "$folder/manifest" or return;
    binmode $file;
    local $/;
    my @parts = split /\0/, scalar <$file>, -1;
    my @records;
    for (my $at = 0; $at + 1 < @parts;) {
        my $link = substr($parts[$at], 0, 1) eq 'L';
        push @records, [@parts[$at, $at + 1], $link ? $parts[$at + 2] : ''];
        $at += $link ? 3 : 2;
    }
    return \@records;
}

sub said { my ($file) = @_; open my $in, '<', $file or return ''; binmode $in; local $/; return scalar <$in> }

# ── Copying one file ──
# '' or why not: gone, unreadable, full, changed.
sub copy_once {
    my ($from, $to, $size, $blocks) = @_;
    my ($in, $out);
    sysopen $in, $from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return $! == ENOENT || $! == ENOTDIR ? 'gone' : 'unreadable';
    unlink $to;
    if (!sysopen $out, $to, O_WRONLY | O_CREAT | O_EXCL, 0600) { return is_full() ? 'full' : die "$to cannot be written: $!\n" }
    return close $out ? '' : 'full' if $size > 0 && $^O eq 'linux' && ioctl $out, $clone, fileno $in;
    my $sparse = ($blocks || 0) * 512 < $size;
    my $at = 0;
    my $bytes;
    while (1) {
        my $got = sysread $in, $bytes, $piece;
        return 'unreadable' if !defined $got;
        last if $got == 0;
        $at += $got;
        if ($sparse && $got == $piece && $bytes eq $zeros) { sysseek $out, $at, 0; next }
        for (my $done = 0; $done < $got;) {
            my $put = syswrite $out, $bytes, $got - $done, $done;
            return is_full() ? 'full' : die "$to cannot be written: $!\n" if !defined $put;
            $done += $put;
        }
    }
    truncate $out, $at or return is_full() ? 'full' : die "$to cannot be written: $!\n" if $sparse;
    return close $out ? '' : is_full() ? 'full' : die "$to cannot be written: $!\n";
}

sub same_content {
    my ($one, $other) = @_;
    sysopen my $a, $one,   O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return 0;
    sysopen my $b, $other, O_RDONLY | O_NOFOLLOW or return 0;
    my ($here, $there);
    while (1) {
        my $left  = sysread $a, $here,  $piece;
        my $right = sysread $b, $there, $piece;
        return 0 if !defined $left || !defined $right || $left != $right;
        return 1 if $left == 0;
        return 0 if $here ne $there;
    }
}

sub dress {
    my ($path, $mode, $mtime) = @_;
    chmod $mode & 07777, $path;
    $precise ? Time::HiRes::utime($mtime, $mtime, $path) : utime $mtime, $mtime, $path;
}

# The file as it was at one moment. (why, racy, stat…)
sub copy_settled {
    my ($from, $to) = @_;
    my @is = look($from) or return 'gone';
    return 'gone' if !S_ISREG($is[2]);
    my @after = @is;
    for my $try (1 .. $tries) {
        my $began = time;
        my $why = copy_once($from, $to, $is[7], $is[12]);
        return $why if $why ne '';
        @after = look($from) or return 'gone';
        return 'gone' if !S_ISREG($after[2]);
        my $moved = join(' ', @is[1, 7, 9, 10]) ne join ' ', @after[1, 7, 9, 10];
        my $racy = int $after[10] >= $began - 1;
        # Within one tick of the clock a change leaves no trace in the times.
        if (!$moved && (!$racy || same_content($from, $to))) {
            dress($to, $after[2], $after[9]);
            return ('', $racy ? 1 : 0, @after);
        }
        @is = @after;
    }
    dress($to, $after[2], $after[9]);
    return ('changed', 1, @after);
}

# ── The operations ──
sub plan {
    my $before = "$base/$previous";
    my %old = map { $_->[1] => $_->[0] } $previous eq '' ? () : @{read_manifest($before) || []};
    my $steady = boot() ne '' && said("$before/boot") eq boot();
    my ($found, %sum) = (walk(), files => 0, bytes => 0, newFiles => 0, newBytes => 0);
    for my $entry (@$found) {
        my ($kind, $path, @is) = @$entry;
        next if $kind ne 'F';
        $sum{files}++;
        $sum{bytes} += $is[7];
        my $head = head_of('F', $is[7], @is);
        my $known = $old{$path};
        my $how = !defined $known ? 'copy' : $known eq "$head 0" ? 'link' : $known eq "$head 1" ? 'compare' : 'copy';
        if ($how ne 'copy' && !$steady) {
            my @copy = lstat "$before/files/$path";
            $how = 'copy' if !@copy || $copy[7] != $is[7];
        }
        unshift @$entry, $how, $head;
        if ($how ne 'link') { $sum{newFiles}++; $sum{newBytes} += $is[7] }
    }
    return ($found, \%sum);
}

sub do_size {
    my (undef, $sum) = plan();
    my $at = $base;
    $at =~ s{/[^/]*\z}{} while $at ne '' && !-e $at;
    finish('sized', %$sum, free => free_bytes($at eq '' ? '/' : $at));
}

sub do_copy {
    my $no_room = sub { my (undef, $sum) = plan(); finish('full', %$sum) };
    if (!make_path($base)) { is_full() ? $no_room->() : die "$base cannot be made: $!\n" }
    my $lock;
    if (!open $lock, '>', "$base/.lock") { is_full() ? $no_room->() : die "$base cannot be written: $!\n" }
    flock $lock, LOCK_EX or die "$base cannot be locked: $!\n";
    my $told = said("$base/$id/answer");
    if ($told ne '') { print $told; exit 0 }
    my %kept = map { $_ => 1 } $previous, split /,/, $keep;
    opendir my $handle, $base or die "$base cannot be read: $!\n";
    for my $name (grep { $_ ne '.' && $_ ne '..' && $_ ne '.lock' } readdir $handle) {
        remove("$base/$name") if !$kept{$name} && ($keep ne '*' || $name =~ /\.partial\z/);
    }
    closedir $handle;
    my ($found, $sum) = plan();
    my $free = free_bytes($base);
    if ($free ne '' && $sum->{newBytes} + 4096 * @$found + $reserve > $free) { finish('full', %$sum, free => $free) }
    # From here on the copies are near: short paths are quick paths.
    chdir $base or die "$base cannot be entered: $!\n";
    my $draft = "$id.partial";
    my $full = sub { remove($draft); finish('full', %$sum, free => free_bytes($base)) };
    make_path("$draft/files") or $full->();
    open my $manifest, '>', "$draft/manifest" or $full->();
    binmode $manifest;
    my %made = (files => 0, bytes => 0, newFiles => 0, newBytes => 0);
    my %gone;
    for my $entry (@$found) {
        if ($entry->[0] eq 'link') {
            my ($head, $path, $size) = @$entry[1, 3, 11];
            if (link "$previous/files/$path", "$draft/files/$path") {
                $made{files}++;
                $made{bytes} += $size;
                print $manifest "$head 0\0$path\0" or $full->();
                next;
            }
            $entry->[0] = 'copy';
        }
        my ($how, $head) = $entry->[0] =~ /^c/ ? splice @$entry, 0, 2 : ('', '');
        my ($kind, $path, @is) = @$entry;
        my $to = "$draft/files/$path";
        if ($kind eq 'D') {
            if (!mkdir $to, 0700) { is_full() ? $full->() : die "$to cannot be made: $!\n" }
            print $manifest head_of('D', 0, @is), " 0\0$path\0" or $full->();
            next;
        }
        if ($kind eq 'L') {
            my $target = readlink "$root/$path";
            next if !defined $target;
            if (!symlink $target, $to) { is_full() ? $full->() : die "$to cannot be made: $!\n" }
            print $manifest head_of('L', 0, @is), " 0\0$path\0$target\0" or $full->();
            next;
        }
        my ($racy, $old, $new) = (0, "$previous/files/$path", 1);
        my $began = time;
        if ($how eq 'compare' && same_content("$root/$path", $old)) { $new = 0 if link $old, $to }
        $racy = 1 if $how eq 'compare' && int $is[10] >= $began - 1;
        if ($new) {
            (my $why, $racy, my @after) = copy_settled("$root/$path", $to);
            $full->() if $why eq 'full';
            unlink $to if $why eq 'gone' || $why eq 'unreadable';
            next if $why eq 'gone';
            note($why, $path) if $why ne '';
            next if $why eq 'unreadable';
            @is = @after;
            # The manifest speaks of the copy: a file that was cut or grew meanwhile counts as it was copied.
            $is[7] = (lstat $to)[7] if $why eq 'changed';
            $made{newFiles}++;
            $made{newBytes} += $is[7];
        }
        $made{files}++;
        $made{bytes} += $is[7];
        $head = head_of('F', $is[7], @is);
        print $manifest "$head $racy\0$path\0" or $full->();
    }
    close $manifest or $full->();
    open my $noted_boot, '>', "$draft/boot" or $full->();
    print $noted_boot boot() or $full->();
    close $noted_boot or $full->();
    my $text = answer('made', %made, free => free_bytes($base), folder => escaped("$base/$id"));
    open my $file, '>', "$draft/answer" or $full->();
    binmode $file;
    print $file $text or $full->();
    close $file or $full->();
    flush_to_disk($draft);
    rename $draft, $id or die "$base/$id cannot be made: $!\n";
    flush_to_disk($id);
    print $text;
}

# Everything below must outlive a power cut before it stands under its name; older programs flush the whole machine.
sub flush_to_disk {
    my ($folder) = @_;
    system('sh', '-c', 'sync -f "$1" 2>/dev/null || sync', 'sh', $folder);
}

sub do_restore {
    my $records = read_manifest("$base/$id") or finish('missing');
    if (-l $root || -e $root) {
        my $handle;
        finish('occupied') if -l $root || !opendir $handle, $root;
        my @inside = grep { $_ ne '.' && $_ ne '..' } readdir $handle;
        finish('occupied') if @inside;
    }
    my $draft = "$root.waymark-partial";
    remove($draft);
    my $need = 0;
    $need += (split / /, $_->[0])[2] for @$records;
    if (!make_path($draft)) { is_full() ? finish('full', bytes => 0) : die "$draft cannot be made: $!\n" }
    my $free = free_bytes($draft);
    my $full = sub { remove($draft); finish('full', bytes => $need, free => free_bytes($base)) };
    $full->() if $free ne '' && $need + 4096 * @$records + $reserve > $free;
    my @folders;
    my %made = (files => 0, bytes => 0);
    for my $record (@$records) {
        my ($head, $path, $target) = @$record;
        my ($kind, undef, $size) = split / /, $head;
        my $to = "$draft/$path";
        if ($kind eq 'D') {
            if (!mkdir $to, 0700) { is_full() ? $full->() : die "$to cannot be made: $!\n" }
            push @folders, $record;
        } elsif ($kind eq 'L') {
            # A link into the old workspace must not lead a branch there.
            $target = $root . substr $target, length $origin if $target eq $origin || index($target, "$origin/") == 0;
            if (!symlink $target, $to) { is_full() ? $full->() : die "$to cannot be made: $!\n" }
        } else {
            my $from = "$base/$id/files/$path";
            my @is = look($from);
            if (!@is || !S_ISREG($is[2]) || $is[7] != $size) { note('damaged', $path); next }
            my $why = copy_once($from, $to, $is[7], $is[12]);
            $full->() if $why eq 'full';
            if ($why ne '') { note('damaged', $path); next }
            dress($to, $is[2], $is[9]);
            $made{files}++;
            $made{bytes} += $is[7];
        }
    }
    if ($noted) { remove($draft); finish('damaged') }
    chmod +(split / /, $_->[0])[1], "$draft/$_->[1]" for reverse @folders;
    chmod 0755, $draft;
    rmdir $root;
    rename $draft, $root or die "$root cannot be made: $!\n";
    finish('restored', %made);
}

if    ($op eq 'size')    { do_size() }
elsif ($op eq 'copy')    { do_copy() }
elsif ($op eq 'restore') { do_restore() }
else                     { die "There is no operation $op.\n" }
