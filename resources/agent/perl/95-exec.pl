# ── One script, for probes and set-up steps ──
my %scripts;                # by request: its program, or its order while it waits
my @waiting_scripts;
my $most_scripts = 8;

sub op_exec {
    my ($id, $cwd, $limit, @given) = @_;
    my $script = pop @given;
    absolute_argument('working directory', $cwd);
    $limit = number_argument('time-out', $limit);
    my $bash = find_bash();
    die refusal('shell_missing', 'Scripts need bash, and none was found. Install bash.') if $bash eq '';
    my %environment = clean_environment();
    with_given(\%environment, @given);
    die refusal('cwd_missing', "The directory $cwd cannot be entered.") if !-d $cwd || !-x _;
    $scripts{$id} = {id => $id, cwd => $cwd, limit => $limit, bash => $bash, environment => \%environment, script => $script};
    push @waiting_scripts, $id;
    start_scripts();
}

sub start_scripts {
    while (@waiting_scripts && (grep { $_->{pid} } values %scripts) < $most_scripts) {
        my $order = $scripts{shift @waiting_scripts} or next;
        # One argument of a program may have 128 KB; a longer script comes through a pipe.
        my $long = length $order->{script} > 100_000;
        my @command = ($order->{bash}, '-c', $long ? 'eval "$(cat)" </dev/null' : $order->{script});
        my $program = eval {
            spawn(
                command => \@command, environment => $order->{environment}, cwd => $order->{cwd}, limit => $max_body, both => 1,
                ($long ? (feed => $order->{script}) : ()),
                done => sub { script_ended($order->{id}, $_[0]) },
            );
        };
        if (!$program) { delete $scripts{$order->{id}}; refused($order->{id}, $@); next }
        $program->{deadline} = monotonic() + $order->{limit} / 1000 if $order->{limit};
        $scripts{$order->{id}} = $program;
    }
}

sub script_ended {
    my ($id, $program) = @_;
    delete $scripts{$id};
    my $status = $program->{status};
    my $code = $program->{expired} ? '' : $status & 127 ? 128 + ($status & 127) : $status >> 8;
    answer_body($id, [$code, $program->{truncated}], $program->{buffer});
    start_scripts();
}

sub cancel_script {
    my ($id) = @_;
    my $script = delete $scripts{$id} or return 0;
    drop_program($script) if $script->{pid};
    start_scripts();
    return 1;
}
