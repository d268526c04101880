# What a client of Waymark runs on a host for as long as its connection lasts; docs/host-agent.md is the contract.
# The parts of this directory, joined in the order of their names, are one program. Only modules of Debian's perl-base.
use strict;
use warnings;
use Cwd ();
use Errno qw(EINTR EAGAIN EWOULDBLOCK EEXIST ENOENT ENOTDIR ELOOP EACCES EPERM ENXIO EISDIR EPIPE EIO ESTALE);
use Fcntl qw(:DEFAULT :mode :seek);
use IO::Handle ();
use POSIX qw(:sys_wait_h :signal_h :termios_h setsid dup2);
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);

our $version = 1;

# ── System calls perl has no words for, by architecture ──
my $machine = (POSIX::uname())[4];
my $wide    = length pack('p', '') == 8;
my %CALL;
if ($^O eq 'linux' && $wide && $machine eq 'x86_64') {
    %CALL = (inotify_init => 294, inotify_add => 254, inotify_remove => 255, stat_at => 262, stat_fd => 5, clock => 228,
        statfs => 137, fallocate => 285, death_signal => 157);
}
elsif ($^O eq 'linux' && $wide && $machine =~ /^(?:aarch64|riscv64|loongarch64)\z/) {
    %CALL = (inotify_init => 26, inotify_add => 27, inotify_remove => 28, stat_at => 79, stat_fd => 80, clock => 113,
        statfs => 43, fallocate => 47, death_signal => 167);
}
delete $CALL{stat_at} if $machine eq 'loongarch64';    # it has statx only
%CALL = () if $ENV{WAYMARK_AGENT_PLAIN};                 # as on an architecture that is not listed
my $hires = eval { require Time::HiRes; 1 };
my $ticks = POSIX::sysconf(POSIX::_SC_CLK_TCK()) || 100;

sub read_clock {
    my ($kind) = @_;
    my $two = "\0" x 16;
    return if syscall($CALL{clock}, $kind, $two) < 0;
    return unpack 'q2', $two;
}

# Seconds of a clock nobody sets.
sub monotonic {
    if ($CALL{clock}) { my ($s, $ns) = read_clock(1); return $s + $ns / 1e9 if defined $s }
    # perl-base alone has no finer clock than this one, in steps of 10 ms.
    return $hires ? Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) : (POSIX::times())[0] / $ticks;
}

# ms since 1970, with a fraction where the host gives one.
sub now_ms {
    if ($CALL{clock}) { my ($s, $ns) = read_clock(0); return milliseconds($s, $ns) if defined $s }
    return sprintf '%.3f', ($hires ? Time::HiRes::time() : time) * 1000;
}

sub milliseconds {
    my ($s, $ns) = @_;
    return sprintf '%.6f', $s * 1000 + $ns / 1e6 if $s < 0;
    return sprintf '%d.%06d', $s * 1000 + int($ns / 1_000_000), $ns % 1_000_000;
}

# What stat says of a path or an open handle; undef with $! set. `mtime` is text in ms.
sub about {
    my ($what, $nofollow) = @_;
    if ($CALL{stat_at}) {
        my $raw = "\0" x 144;
        my $failed =
          ref $what
          ? syscall($CALL{stat_fd}, fileno $what, $raw)
          : syscall($CALL{stat_at}, -100, $what, $raw, $nofollow ? 0x100 : 0);
        return if $failed < 0;
        my ($device, $inode) = unpack 'Q2', $raw;
        my ($links, $mode, $uid, $gid) =
          $machine eq 'x86_64' ? unpack 'x16 Q L3', $raw : (unpack 'x16 L4', $raw)[1, 0, 2, 3];
        my ($size, $mtime, $fraction) = unpack 'x48 q x32 q2', $raw;
        return {
            device => $device, inode => $inode, links => $links, mode => $mode, uid => $uid, gid => $gid,
            size   => $size,   mtime => milliseconds($mtime, $fraction), seconds => $mtime,
        };
    }
    my @stat = $nofollow ? lstat $what : stat $what;
    return if !@stat;
    my $mtime = $stat[9];
    if ($hires) {
        my @fine = $nofollow ? Time::HiRes::lstat($what) : Time::HiRes::stat($what);
        $mtime = $fine[9] if @fine;
    }
    return {
        device => $stat[0], inode => $stat[1], links => $stat[3], mode => $stat[2], uid => $stat[4], gid => $stat[5],
        size   => $stat[7], mtime => sprintf('%.3f', $mtime * 1000), seconds => $stat[9],
    };
}

# ── Small files ──
# The whole of a file, at most `$limit` bytes (default 1 MB); undef with $! when it cannot be read.
sub slurp {
    my ($path, $limit) = @_;
    sysopen my $handle, $path, O_RDONLY | O_NONBLOCK | O_NOCTTY or return;
    my $text = '';
    $limit ||= 1048576;
    while (length $text < $limit) {
        my $n = sysread $handle, $text, $limit - length $text, length $text;
        next if !defined $n && $! == EINTR;
        return if !defined $n;
        last if !$n;
    }
    return $text;
}

sub first_line { my $text = slurp($_[0], 4096); return defined $text && $text =~ /^([^\n]*)/ ? $1 : '' }

sub write_all {
    my ($handle, $at) = ($_[0], 0);
    while ($at < length $_[1]) {
        my $n = syswrite $handle, $_[1], 1048576, $at;
        if (!defined $n) { next if $! == EINTR; return 0 }
        $at += $n;
    }
    return 1;
}

# A new private file with that content; false with $! set, and nothing left, when that failed.
sub put_new {
    my $path = $_[0];
    sysopen my $handle, $path, O_WRONLY | O_CREAT | O_EXCL, 0600 or return 0;
    if (!write_all($handle, $_[1])) { my $error = $! + 0; unlink $path; $! = $error; return 0 }
    if (!close $handle) { my $error = $! + 0; unlink $path; $! = $error; return 0 }
    return 1;
}

# Whole or not at all.
sub put_over {
    my $path = $_[0];
    my $draft = $path . '.' . random_hex(6);
    put_new($draft, $_[1]) or die file_refusal();
    if (!rename $draft, $path) { my $problem = file_refusal(); unlink $draft; die $problem }
}

my $random_handle;

sub random_hex {
    my ($bytes) = @_;
    my $raw = '';
    sysopen $random_handle, '/dev/urandom', O_RDONLY if !$random_handle;
    if (!$random_handle || (sysread($random_handle, $raw, $bytes) || 0) != $bytes) {
        $raw = join '', map { chr int rand 256 } 1 .. $bytes;
    }
    return unpack 'H*', $raw;
}

# Makes a directory and its parents; false with $! set. The mode is for the last one.
sub make_path {
    my ($path, $mode) = @_;
    return 1 if mkdir $path, $mode;
    if ($! == ENOENT && $path =~ m{^(.*[^/])/+[^/]+/*\z}s) {
        make_path($1, 0777) or return 0;
        return 1 if mkdir $path, $mode;
    }
    my $error = $! + 0;
    # Some file systems refuse for another reason what is there already.
    my $is = about($path);
    return 1 if $is && S_ISDIR($is->{mode});
    $! = $is || $error != EEXIST ? $error : ENOENT;    # a link that leads nowhere
    return 0;
}

sub parent_of { my ($path) = @_; $path =~ s{/+\z}{}; return $path =~ m{^(.*[^/])/+[^/]*\z}s ? $1 : '/' }
sub leaf_of { my ($path) = @_; $path =~ s{/+\z}{}; return $path =~ m{([^/]*)\z} ? $1 : '' }

# The path with every link resolved, by the kernel's own word; undef with $! set.
sub resolved {
    my ($path) = @_;
    sysopen my $handle, $path, 010000000 or return;    # O_PATH
    return readlink '/proc/self/fd/' . fileno $handle;
}
