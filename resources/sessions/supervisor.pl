# Holds the terminal of one session so that it outlives every client.
#
# usage: perl - DIR ROWS COLS CWD RC BASH [WRAP...] < supervisor.pl
# prints "OK <supervisor pid> <shell pid> <tty> <dev:ino of the log>" or "ERR <code> <text>", then lives in the background.
# WRAP is a bwrap command without the program to run: the shell then lives in a sandbox, the supervisor outside of it. Words
# after a "--" in it are what runs first inside and starts the rest.
# WAYMARK_NONCE, WAYMARK_SESSION and WAYMARK_LIMIT come from the environment; only the session's id is passed on.
#
# usage: perl - --drop DIR UPTO < supervisor.pl
# gives back the space of the log of a session that is over, up to that byte, and prints the first byte still there.
#
# DIR (0700), made here; that it did not exist is what makes a name unique:
#   spool   raw output, append only, offset 0 = first byte; locked (flock) while the supervisor lives
#   marks   "start end kind seq data" of every marker (see session.bash) that passed into the spool, in order
#   low     first byte still in the spool: what lies before was given back (a hole; offsets do not move)
#   want-low  somebody's wish for a higher one; taken away once seen to     nopunch  there if it cannot be done here
#   limit   bytes the spool may hold; beyond it the oldest are dropped
#   in      FIFO used as a door bell; it has a reader exactly while the supervisor lives
#   inbox/  one file per input, named by its 16-digit number; taken in order, "<number>.done" = last one delivered
#   cmd/    texts of commands, read by the shell's start file
#   meta    who and where, key=value     nonce  secret of the markers
#   exit    written when the shell has ended and the log is complete
#   notfull / full   the second name while the log's disk is full
use strict;
use warnings;
use Errno qw(EINTR EAGAIN EWOULDBLOCK EEXIST);
use Fcntl qw(:DEFAULT :flock);
use POSIX qw(:sys_wait_h :signal_h setsid mkfifo dup2);

my ($dir, $rows, $cols, $cwd, $rc, $bash, @wrap) = @ARGV;
my @first;
for my $at (grep { $wrap[$_] eq '--' } 0 .. $#wrap) {
    @first = splice @wrap, $at + 1;
    pop @wrap;
    last;
}
my $nonce = delete $ENV{WAYMARK_NONCE};
my $id    = $ENV{WAYMARK_SESSION};
my $limit = delete $ENV{WAYMARK_LIMIT} || 8 << 30;
my $mac   = $^O eq 'darwin';
my %IO    = $mac
  ? (winsize => 0x80087467, ctty => 0x20007461, grant => 0x20007454, unlock => 0x20007452, name => 0x40807453)
  : (winsize => 0x5414, ctty => 0x540E, unlock => 0x40045431, number => 0x80045430);
my $umask = umask 077;

# A client may leave descriptors open for its children (Electron does): a session that held them would keep
# the client's own helpers waiting for their end.
POSIX::close($_) for 3 .. 1023;

# ── Giving back the log's oldest bytes ──
my ($spool, $size, $low, $nopunch) = (undef, 0, 0, 0);

# Makes a hole of whole blocks; false where the file system cannot.
sub punch {
    my ($from, $to) = @_;
    my $number = { x86_64 => 285, aarch64 => 47 }->{ (POSIX::uname())[4] };
    return 0 if $^O ne 'linux';
    return syscall($number, fileno $spool, 3, $from + 0, $to - $from) == 0 if $number && length pack('l!', 0) == 8;
    open my $quiet, '>&', \*STDERR;
    open STDERR, '>', '/dev/null';
    my $status = system 'fallocate', '-p', '-o', $from, '-l', $to - $from, "$dir/spool";
    open STDERR, '>&', $quiet;
    return $status == 0;
}

# Readers learn the number before the bytes are gone. `low` and `low.new` are there from the start and change places, so
# that a full disk, which this may relieve, is no obstacle.
sub drop_to {
    my ($to) = @_;
    $to -= $to % 4096;
    return if $nopunch || $to <= $low;
    sysopen my $h, "$dir/low.new", O_WRONLY | O_CREAT, 0600 or return;
    (syswrite($h, sprintf "%-31d\n", $to) || 0) == 32 or return;
    close $h;
    link "$dir/low", "$dir/low.old";
    rename "$dir/low.new", "$dir/low" or return;
    rename "$dir/low.old", "$dir/low.new";
    punch($low, $to);
    $low = $to;
}

if ($dir eq '--drop') {
    ($dir, my $wish) = ($rows, $cols);
    $nopunch = -e "$dir/nopunch";
    # Whoever holds the lock sees to it: the supervisor, or another like this one.
    my $mine = sysopen($spool, "$dir/spool", O_RDWR) && flock $spool, LOCK_EX | LOCK_NB;
    ($low) = first_line("$dir/low") =~ /^(\d+)/ or ($low) = 0;
    $size = -s "$dir/spool" || 0;
    drop_to($wish < $size ? $wish : $size) if $mine;
    print "$low\n";
    exit 0;
}

sub refuse { print "ERR $_[0] $_[1]\n"; exit 0 }
@wrap or chdir $cwd or refuse('cwd_missing', "$!");
-x $bash or refuse('shell_missing', "$bash is not there");
mkdir $dir, 0700 or refuse($! == EEXIST ? 'session_exists' : 'io', "$!");

pipe my $ready_r, my $ready_w or refuse('io', "pipe: $!");
my $child = fork;
defined $child or refuse('io', "fork: $!");
if ($child) {
    close $ready_w;
    my $line = <$ready_r>;
    print defined $line ? $line : "ERR io the supervisor ended before it was ready\n";
    exit 0;
}
close $ready_r;
setsid();

sub give_up {
    syswrite $ready_w, "ERR io $_[0]: $!\n";
    rename $dir, "$dir.failed.$$";
    POSIX::_exit(1);
}

sub put {
    my ($file, $text) = @_;
    sysopen my $h, "$dir/$file", O_WRONLY | O_CREAT | O_EXCL, 0600 or give_up($file);
    syswrite($h, $text) == length $text or give_up($file);
    close $h or give_up($file);
}

put('nonce', "$nonce\n");
put('notfull', '');
put('limit',   "$limit\n");
put('low',     sprintf "%-31d\n", 0);
put('low.new', sprintf "%-31d\n", 0);
# Its blocks are taken now, so the exit code can be written on a full disk.
put('exit.new', (' ' x 126) . "\n");
mkdir "$dir/inbox", 0700 or give_up('inbox');
mkdir "$dir/cmd",   0700 or give_up('cmd');
mkfifo("$dir/in", 0600) or give_up('in');
sysopen my $bell, "$dir/in", O_RDWR | O_NONBLOCK or give_up('in');
sysopen $spool, "$dir/spool", O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600 or give_up('spool');
flock $spool, LOCK_EX | LOCK_NB or give_up('lock');
sysopen my $marks, "$dir/marks", O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600 or give_up('marks');
if (!punch(0, 4096)) {
    $nopunch = 1;
    put('nopunch', '');
}

# ── The terminal ──
sysopen my $master, '/dev/ptmx', O_RDWR | O_NOCTTY or give_up('/dev/ptmx');
my $tty;
if ($mac) {
    my $zero = 0;
    ioctl $master, $IO{grant}, $zero or give_up('grant');
    ioctl $master, $IO{unlock}, $zero or give_up('unlock');
    my $name = "\0" x 128;
    ioctl $master, $IO{name}, $name or give_up('tty name');
    ($tty) = $name =~ /^([^\0]+)/;
}
else {
    my $off = pack 'i', 0;
    ioctl $master, $IO{unlock}, $off or give_up('unlock');
    my $number = pack 'i', 0;
    ioctl $master, $IO{number}, $number or give_up('tty number');
    $tty = '/dev/pts/' . unpack 'i', $number;
}
sysopen my $slave, $tty, O_RDWR | O_NOCTTY or give_up($tty);
my $window = pack 'S4', $rows, $cols, 0, 0;
ioctl $slave, $IO{winsize}, $window;

my ($info_r, $info_w, $there_r, $there_w);
if (@wrap) {
    pipe $info_r,  $info_w  or give_up('pipe');
    pipe $there_r, $there_w or give_up('pipe');
}
my $shell = fork;
defined $shell or give_up('fork');
if (!$shell) {
    # In a sandbox the shell itself becomes the terminal's session leader, so that the kernel treats it as it does outside.
    setsid() if !@wrap;
    my $arg = 0;
    ioctl $slave, $IO{ctty}, $arg if !@wrap;
    dup2(fileno $slave, $_) for 0 .. 2;
    # Whatever the starter ignored or blocked must not reach the session: Ctrl-C would be dead in it.
    $SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT PIPE ALRM TERM USR1 USR2 CHLD TSTP TTIN TTOU XFSZ);
    sigprocmask(SIG_SETMASK, POSIX::SigSet->new);
    umask $umask;
    $ENV{WAYMARK_SESSION_DIR} = $dir;
    # Only a person edits lines; what the application types must arrive as it is.
    my @editing = ($ENV{__WM_TYPED} || '') eq '1' ? () : '--noediting';
    in_sandbox(@editing) if @wrap;
    { no warnings 'exec'; exec $bash, @editing, '--rcfile', $rc, '-i'; }
    POSIX::_exit(127);
}
close $slave;

# A pipe that holds the words, however many they are, so that nobody has to stay and write.
sub told {
    my $text = join '', map { "$_\0" } @_;
    pipe my $from, my $to or POSIX::_exit(127);
    fcntl $to, 1031, 1 << 20 if length $text > 65536;    # F_SETPIPE_SZ
    my $flags = fcntl $to, F_GETFL, 0;
    fcntl $to, F_SETFL, $flags | O_NONBLOCK;
    (syswrite($to, $text) || 0) == length $text or die "the sandbox is to show more than can be said to bwrap\n";
    return $from;
}

# Becomes bwrap. It says on descriptor 200 which process is the first one inside; the shell's process says on 9 that it is there.
# Its options come by 202: the command line and the environment that it is started with can be read inside, as those of process 1,
# and the names of the person's folders have no place there.
sub in_sandbox {
    dup2(fileno $info_w,  200);
    dup2(fileno $there_w, 201);
    dup2(201,             9);
    POSIX::close(201);
    delete @ENV{qw(WAYMARK_SESSION WAYMARK_SESSION_DIR)};
    my $inside = '/run/waymark';
    my @files = map { ('--ro-bind', @$_) } ["$dir/nonce", "$inside/nonce"], ["$dir/cmd", "$inside/cmd"], [$rc, "$inside/session.bash"];
    my ($bwrap, @options) = @wrap;
    push @options, '--info-fd', 200, @files, '--setenv', 'WAYMARK_SESSION', $id, '--setenv', 'WAYMARK_SESSION_DIR', $inside,
      '--remount-ro', '/', '--chdir', $cwd;
    my $from = eval { told(@options) };
    if (!$from) { print STDERR $@; POSIX::_exit(127) }
    dup2(fileno $from, 202);
    no warnings 'exec';
    exec $bwrap, '--args', 202, '--', @first, '/bin/sh', '-c', 'echo >&9; exec 9>&-; exec setsid -c "$@"', 'sh',
      $bash, @_, '--rcfile', "$inside/session.bash", '-i';
    POSIX::_exit(127);
}

# What the sandbox has said instead of starting stands in the terminal.
sub sandbox_refused {
    my $said = '';
    sysread $master, $said, 2000;
    $said =~ s/\s+/ /g;
    my $code = $said =~ /Can't chdir/ ? 'cwd_missing' : 'sandbox';
    syswrite $ready_w, "ERR $code $said\n";
    rename $dir, "$dir.failed.$$";
    POSIX::_exit(1);
}

# $waited is our child, $shell the shell, $init the first process of the sandbox.
my ($waited, $init) = ($shell, 0);
if (@wrap) {
    close $info_w;
    close $there_w;
    my $info = '';
    while (index($info, '}') < 0) { sysread $info_r, $info, 4096, length $info or sandbox_refused() }
    ($init) = $info =~ /"child-pid":\s*(\d+)/ or sandbox_refused();
    sysread $there_r, my $byte, 1 or sandbox_refused();
    opendir my $processes, '/proc' or give_up('/proc');
    ($shell) = grep { /^\d+$/ && parent($_) == $init } readdir $processes or sandbox_refused();
    close $info_r;
    close $there_r;
}

sub parent {
    open my $h, '<', "/proc/$_[0]/stat" or return 0;
    my $line = <$h>;
    return defined $line && $line =~ /^.*\) \S+ (\d+)/ ? $1 : 0;
}
sub starttime {
    open my $h, '<', "/proc/$_[0]/stat" or return '';
    my $line = <$h>;
    return defined $line && $line =~ /^.*\) (.*)$/ ? (split ' ', $1)[19] : '';
}
sub first_line { open my $h, '<', $_[0] or return ''; my $l = <$h>; $l = '' if !defined $l; chomp $l; return $l }
my ($dev, $ino) = stat $spool;
my $cwd_line = $cwd =~ s/\n/?/gr;
put('meta.new', join '', map { "$_\n" }
    'version=1', "id=$id", "supervisor=$$", 'supervisor_start=' . starttime($$), "shell=$shell",
    'shell_start=' . starttime($shell), "tty=$tty", "spool=$dev:$ino",
    'boot=' . first_line('/proc/sys/kernel/random/boot_id'), 'pidns=' . (readlink('/proc/self/ns/pid') || ''),
    'created=' . time, "cwd=$cwd_line", $init ? ("init=$init", 'init_start=' . starttime($init)) : ());
rename "$dir/meta.new", "$dir/meta" or give_up('meta');
syswrite $ready_w, "OK $$ $shell $tty $dev:$ino\n";
close $ready_w;
chdir '/';
open STDIN,  '<', '/dev/null';
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';

# ── The life of the session ──
$SIG{$_} = 'IGNORE' for qw(INT QUIT PIPE XFSZ TSTP TTIN TTOU);
$SIG{CHLD} = sub { };
$SIG{$_} = sub { kill 'HUP', -$shell, $shell } for qw(TERM HUP);
for my $h ($master, $bell) {
    my $flags = fcntl $h, F_GETFL, 0;
    fcntl $h, F_SETFL, $flags | O_NONBLOCK;
}

my ($out, $in, $source, $source_seq, $last) = ('', '', undef, 0, 0);
my ($full, $code, $open) = (0, undef, 1);

# Finds markers in what went into the log; they are strict in the same way as shared/terminal/command-markers.ts.
my $prefix = "\e]7717;$nonce;";
my ($seen, $noted) = ('', '');    # the log's last bytes if a marker may have begun in them; lines for `marks`
sub note_marks {
    my ($piece) = @_;
    $seen = length $seen ? $seen . $piece : $piece;
    my $base = $size - length $seen;
    my $at   = 0;
    while (($at = index $seen, $prefix, $at) >= 0) {
        pos($seen) = $at + length $prefix;
        if ($seen =~ /\G([ABCD]);([0-9]{1,15})(?:;([\x20-\x7e]{0,199}))?\x07/gc && pos($seen) - $at <= 200) {
            $noted .= sprintf "%d %d %s %d%s\n", $base + $at, $base + pos $seen, $1, $2, defined $3 ? " $3" : '';
            $at = pos $seen;
        }
        elsif (length($seen) - $at < 200 && substr($seen, $at + length $prefix) =~ /^[\x20-\x7e]*\z/) {
            $seen = substr $seen, $at;
            return;
        }
        else { $at++ }
    }
    my $escape = rindex $seen, "\e";
    my $begun  = length($seen) - $escape;
    $seen = $escape >= 0 && $begun < length $prefix && substr($seen, $escape) eq substr($prefix, 0, $begun)
      ? substr $seen, $escape
      : '';
}

# Appends what is held, first to the log, then to `marks`; false while the disk refuses, so that the terminal is not read
# and its programs wait.
sub flush_out {
    while (length $out) {
        my $n = syswrite $spool, $out;
        if (!defined $n) {
            next if $! == EINTR;
            last;
        }
        $size += $n;
        note_marks(substr $out, 0, $n, '');
        drop_to($size - int($limit / 8 * 7)) if $size - $low > $limit;
    }
    while (length $noted) {
        my $n = syswrite $marks, $noted;
        if (!defined $n) {
            next if $! == EINTR;
            last;
        }
        substr $noted, 0, $n, '';
    }
    my $held = length $out || length $noted;
    if    ($held && !$full) { rename "$dir/notfull", "$dir/full"; $full = 1 }
    elsif (!$held && $full) { rename "$dir/full", "$dir/notfull"; $full = 0 }
    return !$held;
}

# The wish is the target of a link, which takes no block of a full disk, or the content of a file.
sub see_to_wish {
    lstat "$dir/want-low" or return;
    my $text = readlink("$dir/want-low") // first_line("$dir/want-low");
    drop_to($text < $size ? $text : $size) if $text =~ /^\d{1,15}$/;
    unlink "$dir/want-low";
}

# Reads what the terminal has, at most 256 KB; 'more', 'empty' or 'closed'.
sub drain {
    while (length $out < 262144) {
        my $n = sysread $master, $out, 65536, length $out;
        next if !defined $n && $! == EINTR;
        return 'empty' if !defined $n && ($! == EAGAIN || $! == EWOULDBLOCK);
        return 'closed' if !$n;
    }
    return 'more';
}

# Keeps up to 64 KB of the next input in memory; the rest stays in its file.
sub load {
    while (!length $in) {
        if (!$source) {
            opendir my $h, "$dir/inbox" or return;
            my ($next) = sort grep { /^\d{16}$/ && $_ > $last } readdir $h;
            closedir $h;
            return if !defined $next;
            sysopen $source, "$dir/inbox/$next", O_RDWR or return;
            $source_seq = $next;
        }
        my $n = sysread $source, $in, 65536;
        next if !defined $n && $! == EINTR;
        if (!$n) {
            truncate $source, 0;
            close $source;
            $source = undef;
            rename "$dir/inbox/$source_seq", "$dir/inbox/$source_seq.done";
            unlink sprintf "%s/inbox/%016d.done", $dir, $last if $last;
            $last = $source_seq + 0;
        }
    }
}

while ($open) {
    my ($r, $w) = ('', '');
    my $writable = flush_out();
    vec($r, fileno $bell,   1) = 1;
    vec($r, fileno $master, 1) = 1 if $writable;
    vec($w, fileno $master, 1) = 1 if length $in;
    # The time-out only covers a SIGCHLD that came just before select.
    my $n = select $r, $w, undef, $full ? 0.25 : 1;
    if (!$n) {    # an input or a wish whose writer died before it could ring
        load();
        see_to_wish();
    }
    if ($n > 0) {
        if (vec $r, fileno $bell, 1) {
            1 while sysread $bell, my $rings, 65536;
            load();
            see_to_wish();
        }
        if (length $in && vec $w, fileno $master, 1) {
            my $k = syswrite $master, $in;
            substr $in, 0, $k, '' if $k;
            load() if !length $in;
        }
        $open = 0 if $writable && vec($r, fileno $master, 1) && drain() eq 'closed';
    }
    if (waitpid($waited, WNOHANG) == $waited) {
        $code = $?;
        $open = 0;
    }
}

# The shell's last bytes may still be on their way: read until closed, or quiet while a survivor holds the terminal.
my $until = time + 5;
while (time < $until || $full) {
    if (!flush_out()) { select undef, undef, undef, 0.25; next }
    my $r = '';
    vec($r, fileno $master, 1) = 1;
    my $n = select $r, undef, undef, 0.2;
    next if $n < 0;
    last if $n == 0 || drain() eq 'closed';
}
select undef, undef, undef, 0.25 while !flush_out();
if (!defined $code) {
    1 while (waitpid $waited, 0) < 0 && $! == EINTR;
    $code = $?;
}
my $exit = $code & 127 ? 128 + ($code & 127) : $code >> 8;
if (sysopen my $h, "$dir/exit.new", O_WRONLY) {
    syswrite $h, "code=$exit\nended=" . time . "\n";
    close $h;
}
rename "$dir/exit.new", "$dir/exit";
POSIX::_exit(0);
