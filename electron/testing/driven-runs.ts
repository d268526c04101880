import { JudgedRun } from './judged-run';
import { RuleRun } from './rule-run';

/**
 * Two runs that a reasoning model drove through every action, and that a person read step by step: what was done at each
 * step and the verdicts are theirs, the steps between are told in short.
 */
export function drivenRuns(): JudgedRun[] {
  return [wholeRun(), branchRun()];
}

const spec = {
  description: 'Filter the paragraphs, write kept.jsonl.',
  evaluation: { inputs: ['kept.jsonl'] },
  computers: [{ name: 'local', host: 'local', type: 'cpu', gpus: null }],
};

/** Steps are numbered as in the run that was read. */
const WHOLE_STEPS = 50;

const FILTER = '. ./settings.sh\nawk "length > $MIN" paragraphs.jsonl > kept.jsonl\n';

function wholeRun(): JudgedRun {
  const run = new RuleRun({ spec }).has('settings.sh', 'MIN=10\n').has('README.md', 'Filter.\n');
  const judged = new JudgedRun(run);
  const { fine, bad, unseen, keep } = bound(judged);
  fine(run.list('.'));
  fine(run.openFile('README.md'));
  unseen(run.think('A thought of 340 characters although a hint asked for less than 200. '.repeat(5)));
  bad(run.failing('open_file', 'bad_input'));
  fine(run.command('cat settings.sh'));
  fine(run.command('pwd && ls -la'));
  bad(run.nothing());
  fine(run.create('filter.sh', FILTER));
  fine(run.command('chmod +x filter.sh'));
  fine(run.command('head -3 paragraphs.jsonl'));
  bad(run.invalid('grep', 'There is no tool "grep".'));
  bad(
    run.together(
      () => run.list('.'),
      () => run.invalid('get_session_output', 'session_id is required.'),
    ),
  );
  const waits = { code: 'timed_out', message: 'The command goes on.' };
  bad(run.command('python3', { error: waits, session: 'py' }));
  fine(run.command('wc -l paragraphs.jsonl'));
  fine(run.background('cat', { session: 'wait' }));
  unseen(run.command('cat paragraphs.jsonl'));
  fine(run.command('vi settings.sh', { session: 'editor' }));
  fine(run.background('./filter.sh', { session: 'train' }));
  fine(run.output({ session: 'train', exitCode: 0 }));
  fine(run.command('pwd'));
  unseen(run.command('cat > notes.txt <<END\nno end of it'));
  fine(run.commandWriting("sed -i 's/MIN=10/MIN=20/' settings.sh", { 'settings.sh': 'MIN=20\n' }));
  fine(run.edit('filter.sh', FILTER.replace('length', 'length($0)')));
  unseen(
    run.together(
      () => run.background('sleep 20; ./filter.sh', { session: 'train' }),
      () => run.sleep(600),
    ),
  );
  bad(run.edit('settings.sh', 'MIN=30\n'));
  fine(run.output({ session: 'train', exitCode: 0 }));
  unseen(run.command('grep MIN filter.sh', { exitCode: 1 }));
  fine(run.openFile('filter.sh'));
  fine(run.command('./filter.sh'));
  fine(run.evaluate(80));
  unseen(run.edit('filter.sh', `${FILTER}if then\n`));
  keep(run.command('./filter.sh', { exitCode: 2 }));
  bad(run.command('./filter.sh', { exitCode: 2 }));
  keep(
    run.together(
      () => run.edit('filter.sh', FILTER),
      () => run.command('./filter.sh'),
    ),
  );
  bad(run.nothing());
  bad(
    run.together(...Array.from({ length: 8 }, () => () => run.command('ls')), () =>
      run.failing('run_command', 'not_found'),
    ),
  );
  fine(run.list('.'));
  fine(run.command('./filter.sh && grep -c zzz kept.jsonl', { exitCode: 1 }));
  fine(run.command('sort -u kept.jsonl -o kept.jsonl'));
  fine(run.evaluate(75.69));
  bad(run.evaluate(75.69));
  fine(run.think());
  keep(
    run.commandWriting(
      "cp kept.jsonl kept.best.jsonl; sed -i 's/MIN=30/MIN=25/' settings.sh; sed -i 's/MIN settings.sh; true",
      { 'settings.sh': 'MIN=25\n' },
    ),
  );
  fine(run.command('cat settings.sh'));
  bad(run.invalid('list_files', 'list_files has no parameter "depth".'));
  bad(run.failing('run_command', 'refused'));
  fine(run.kill('wait'));
  fine(run.think());
  unseen(run.finishPutOff());
  bad(run.finish(75.69));
  if (run.step !== WHOLE_STEPS)
    throw new RangeError(`The run that was read has ${WHOLE_STEPS} steps, not ${run.step}.`);
  return judged;
}

/** An excerpt of the branch: the steps that its reader judged, with what they rest on. */
function branchRun(): JudgedRun {
  const run = new RuleRun({ spec, root: '/branch', run: '01KRV1E0000000000000000001' });
  const judged = new JudgedRun(run);
  const { fine, bad } = bound(judged);
  fine(run.think());
  bad(run.failing('open_file', 'outside_workspace'));
  fine(run.openFile('settings.sh'));
  fine(run.edit('settings.sh', 'MIN=15\n'));
  fine(run.command('./filter.sh'));
  fine(run.evaluate(78));
  fine(run.finish(78));
  return judged;
}

/** The judgements as functions of their own. */
export function bound(judged: JudgedRun) {
  return {
    fine: (step: number) => judged.fine(step),
    bad: (step: number) => judged.bad(step),
    unseen: (step: number) => judged.unseen(step),
    keep: (step: number) => judged.keep(step),
  };
}
