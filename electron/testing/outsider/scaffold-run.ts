import { bound } from '../driven-runs';
import { JudgedRun } from '../judged-run';
import { RuleRun } from '../rule-run';

const spec = {
  description: 'Build a scaffold for a web agent, write its trajectories.',
  evaluation: { inputs: ['out/trajectories.json'] },
  computers: [{ name: 'gpu', host: 'local', type: 'cpu', gpus: null }],
};

const LOOP = 'def loop(agent):\n    while not agent.done: agent.act()\n';

/** Writes a scaffold without a GPU and reaches the full score: 16 steps. */
export function scaffoldRun(): JudgedRun {
  const run = new RuleRun({ spec, run: '01KS0VTS1DER00000000000003' }).has('agent/loop.py', LOOP);
  const judged = new JudgedRun(run);
  const { fine, bad, keep } = bound(judged);
  const formatted = LOOP.replace(': agent', ':\n        agent');
  keep(run.list('.'));
  keep(run.openFile('agent/loop.py'));
  fine(run.edit('agent/loop.py', `# Acts until it is done.\n${LOOP}`));
  fine(
    run.commandWriting('black agent/loop.py', { 'agent/loop.py': `# Acts until it is done.\n${formatted}` }),
  );
  bad(run.edit('agent/loop.py', `# Acts until done.\n${formatted}`));
  fine(run.command('git diff --exit-code agent/loop.py', { exitCode: 1 }));
  bad(run.invalid('str_replace_editor', 'There is no tool "str_replace_editor".'));
  fine(run.command('pgrep -f server.py', { exitCode: 1 }));
  fine(run.background('python server.py --port 8080', { session: 'server' }));
  fine(run.openFile('agent/loop.py'));
  fine(
    run.commandWriting('cp agent/loop.py agent/loop_v2.py', {
      'agent/loop_v2.py': `# Acts until done.\n${formatted}`,
    }),
  );
  fine(run.edit('agent/loop_v2.py', `# Acts until done, at most 50 times.\n${formatted}`));
  bad(run.imitating(run.command('curl -s localhost:8080/page')));
  fine(run.evaluate(100));
  keep(run.command('cp out/trajectories.json out_backup/trajectories_100.json'));
  fine(run.finish(100));
  return judged;
}
