# ── One session's directory, read side ──
sub number_argument {
    my ($what, $value) = @_;
    bad_request("the $what is no number") if !defined $value || $value !~ /^\d{1,15}\z/;
    return $value + 0;
}

sub absolute_argument {
    my ($what, $value) = @_;
    bad_request("the $what is no absolute path") if !defined $value || $value !~ m{^/} || $value =~ /\0/;
    return $value;
}

# The door bell for writing; nothing when nobody listens, which is how a dead supervisor shows.
sub bell_of { sysopen my $bell, "$_[0]/in", O_WRONLY | O_NONBLOCK or return; return $bell }

sub exit_code { my $text = slurp("$_[0]/exit", 4096); return if !defined $text; return $text =~ /^code=(\d{1,3})$/m ? $1 : '' }

# (life, exit code of an ended one)
sub life_of {
    my ($directory) = @_;
    my $code = exit_code($directory);
    return ('ended', $code) if defined $code;
    return ('alive', '') if bell_of($directory);
    # It may have ended between the two looks.
    $code = exit_code($directory);
    return defined $code ? ('ended', $code) : ('lost', '');
}

sub low_of { my $text = slurp("$_[0]/low", 64); return defined $text && $text =~ /^\s*(\d{1,15})/ ? $1 + 0 : 0 }

sub meta_of {
    my ($directory) = @_;
    my $text = slurp("$directory/meta", 65536);
    return if !defined $text;
    my %meta = map { /^([^=]*)=(.*)$/s ? ($1, $2) : () } split /\n/, $text;
    return \%meta;
}

sub names_in { opendir my $listing, $_[0] or return; return grep { $_ ne '.' && $_ ne '..' } readdir $listing }

# Highest number ever accepted, and the inputs not fully delivered.
sub inbox_of {
    my ($directory) = @_;
    my ($accepted, @pending) = (0);
    for my $name (names_in("$directory/inbox")) {
        my ($number, $done) = $name =~ /^(\d{16})(\.done)?\z/ or next;
        $accepted = $number + 0 if $number > $accepted;
        push @pending, $name if !$done;
    }
    return ($accepted, @pending);
}

sub last_command { my $last = 0; for (names_in("$_[0]/cmd")) { $last = $_ + 0 if /^\d{1,15}$/ && $_ > $last } return $last }

sub op_identify {
    my ($id, $directory) = @_;
    absolute_argument('directory', $directory);
    my $meta = slurp("$directory/meta", 65536);
    die session_refusal($directory) if !defined $meta;
    answer_body($id, [first_line("$directory/nonce")], $meta);
}

my $most_marks     = 262144;
my $most_processes = 200;

sub op_look {
    my ($id, $directory, $from, $want_processes) = @_;
    absolute_argument('directory', $directory);
    number_argument('place in the marks', $from);
    my $meta = meta_of($directory);
    die session_refusal($directory) if !$meta;
    my $boot = first_line('/proc/sys/kernel/random/boot_id');
    my $rebooted = $meta->{boot} && $boot && $meta->{boot} ne $boot ? 1 : 0;
    my ($line_mode, $echo, @rows) = ('', '');
    if ($want_processes) {
        ($line_mode, $echo) = terminal_mode($meta->{tty});
        @rows = foreground_rows($meta);
        $#rows = $most_processes - 1 if @rows > $most_processes;
    }
    my ($life, $code) = life_of($directory);
    my ($accepted, @pending) = inbox_of($directory);
    my $command = last_command($directory);
    my $sent    = $command ? about("$directory/cmd/$command") : undef;
    my $age     = $sent ? now_ms() - $sent->{mtime} : 0;
    my ($marks, $more) = marks_from($directory, $from);
    my $log = about("$directory/spool") or die session_refusal($directory);
    if ($life ne 'alive') { @rows = (); $line_mode = $echo = '' }
    answer_body(
        $id,
        [$meta->{id}, $life, $code, $rebooted, $log->{size}, $log->{mtime}, low_of($directory),
            (-e "$directory/full" ? 1 : 0), $accepted, scalar(@pending), $command, ($age > 0 ? sprintf '%.0f', $age : 0),
            $line_mode, $echo, scalar(@rows), $more],
        join '', $marks, @rows
    );
}

# Whole lines only; (text, whether there is more).
sub marks_from {
    my ($directory, $from) = @_;
    sysopen my $handle, "$directory/marks", O_RDONLY or return ('', 0);
    sysseek $handle, $from, SEEK_SET;
    my $n = sysread($handle, my $text, $most_marks);
    return ('', 0) if !$n;
    my $end = rindex $text, "\n";
    return (substr($text, 0, $end + 1), $n == $most_marks ? 1 : 0);
}

sub op_read {
    my ($id, $directory, $offset, $most) = @_;
    absolute_argument('directory', $directory);
    number_argument('offset', $offset);
    $most = number_argument('number of bytes', $most);
    $most = $max_body if $most > $max_body;
    sysopen my $log, "$directory/spool", O_RDONLY or die session_refusal($directory);
    my $bytes = read_at($log, $offset, $most);
    die file_refusal() if !defined $bytes;
    my $size = about($log)->{size};
    my $low  = low_of($directory);
    # Bytes below `low` may be gone; nothing is better than zeros.
    answer_body($id, [$offset, $size, $low], $low > $offset ? '' : $bytes);
}

sub read_at {
    my ($handle, $offset, $length) = @_;
    defined sysseek $handle, $offset, SEEK_SET or return;
    my $bytes = '';
    while (length $bytes < $length) {
        my $n = sysread $handle, $bytes, $length - length $bytes, length $bytes;
        next if !defined $n && $! == EINTR;
        return if !defined $n;
        last if !$n;
    }
    return $bytes;
}

sub op_directories {
    my ($id, $root) = @_;
    absolute_argument('root', $root);
    my @names = sort grep { !/^\./ && -d "$root/$_" } names_in($root);
    my ($room, @fields) = ($max_header - 1024);
    while (@names && ($room -= 1 + length escape_field($names[0])) > 0) { push @fields, shift @names }
    answer_body($id, \@fields, join '', map { "$_\n" } @names);
}
