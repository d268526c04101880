import type { RuleId } from '@shared/contract/rules/rule-settings';
import type { EventBody } from '@shared/log/events';
import { describe, expect, it, test } from 'vitest';
import { RuleRun, stepsOf, verdictsOf } from '../testing/rule-run';
import { BranchContext } from './branch-context';
import { branchNotice } from './branch-notice';

type Inherited = EventBody<'step.inherited'>;

interface Branching {
  /** Step whose files the branch begins with; absent: the last one's. */
  copied?: number;
  root?: string;
  run?: string;
  best?: number | null;
  /** As logs from before `step.inherited.files` have them. */
  old?: boolean;
}

/** What a branch told its agent before logs held what is known of inherited files. */
function oldNotice(from: string, to: string, undone: number, none: boolean): string {
  const actions = undone === 1 ? 'your last action above' : `your last ${undone} actions above`;
  const files = none
    ? "The files are the task's own, as at the very start: nothing that you did to files is there."
    : undone === 0
      ? 'The files are as your last action above left them.'
      : `The files are as they were before ${actions}: what ${undone === 1 ? 'it' : 'they'} did to files is not there.`;
  return `[Workspace moved] The workspace is now ${to}. Paths under ${from} above stand for the same paths under ${to}; do not use the old folder any more. ${files} No session is open.`;
}

/** A branch after the last step of a run, as `branchRun` writes it. */
function branchOf(parent: RuleRun, options: Branching = {}): RuleRun {
  const { copied = parent.step, root = '/new', run = '01KRV1E0000000000000000001', best = null } = options;
  const context = new BranchContext();
  for (const event of parent.script.events) context.apply(event);
  const branch = new RuleRun({ root, run, spec: parent.spec });
  branch.script.events.length = 1;
  const checkpoint = copied === 0 ? null : { step: copied };
  const plan = { checkpoint, step: parent.step, stepsAfter: parent.step - copied, notRestarted: [] };
  const { agent } = branchNotice({
    plan: plan as never,
    from: parent.root,
    to: root,
    opened: [],
    dropped: 0,
    added: 0,
  });
  const told =
    options.old === true ? oldNotice(parent.root, root, parent.step - copied, copied === 0) : agent;
  const events = context.events({ drop: new Set(), added: [], notice: told, request: {}, copied });
  for (const { kind, body } of events) {
    const { files: _, ...rest } = body as Inherited;
    branch.script.add(kind, (options.old === true ? rest : body) as never);
  }
  branch.script.add('branch.began', {
    parent: { run: parent.script.run, step: parent.step },
    checkpoint: checkpoint === null ? null : '01KCHEC0000000000000000000',
    spent: {
      workingMs: 1,
      steps: parent.step,
      inputTokens: 0,
      outputTokens: 0,
      cost: 0,
      evaluations: { tries: 1, best, last: best },
    },
    dropped: [],
    added: [],
    message: '',
  });
  branch.script.step = parent.step;
  return branch;
}

const both: RuleId[] = ['blind-edit', 'blind-edit-strict'];
const said = (run: RuleRun, rules: readonly RuleId[] = both) =>
  verdictsOf(run.script.events)
    .filter(({ verdict }) => rules.some((rule) => rule === verdict.rule))
    .map(({ step, verdict }) => `${verdict.rule} ${step}`);

const followed = { code_folders: [], computers: [{ name: 'gpu' }] };

describe.each([false, true])('what a branch has seen of files (a log of before: %s)', (old) => {
  const begun = (parent: RuleRun, options: Branching = {}) => branchOf(parent, { ...options, old });

  it('is what stands in its context, under its own paths', () => {
    const parent = new RuleRun().has('run.sh', 'x');
    parent.openFile('run.sh');
    const branch = begun(parent).has('run.sh', 'x').has('other.sh', 'x');
    branch.edit('run.sh', 'y');
    const blind = branch.edit('other.sh', 'y');
    expect(said(branch)).toEqual([`blind-edit ${blind}`, `blind-edit-strict ${blind}`]);
  });

  test.each<[string, (run: RuleRun) => void]>([
    ['wrote by an action', (run) => run.create('run.sh', 'x')],
    ['edited and was shown', (run) => [run.openFile('run.sh'), run.edit('run.sh', 'x')]],
    ['wrote in a shell', (run) => run.commandWriting('cd /workspace && echo x > run.sh', { 'run.sh': 'x' })],
    ['looked at in a shell', (run) => run.command('cat /workspace/run.sh')],
    [
      'looked at where its shell stood',
      (run) => [run.command('cd /workspace/src'), run.command('cat ../run.sh')],
    ],
    ['searched through', (run) => run.search('x', '/workspace')],
  ])('what the agent %s before', (_, work) => {
    const parent = new RuleRun().has('other', 'x');
    work(parent);
    parent.think();
    const branch = begun(parent).has('run.sh', 'x');
    branch.edit('run.sh', 'y');
    expect(said(branch, ['blind-edit'])).toEqual([]);
  });

  it('ends with a change in the branch', () => {
    const parent = new RuleRun().has('run.sh', 'x');
    parent.openFile('run.sh');
    const branch = begun(parent).has('run.sh', 'x');
    branch.commandWriting('python change.py', { 'run.sh': 'z' });
    const blind = branch.edit('run.sh', 'y');
    expect(said(branch, ['blind-edit'])).toEqual([`blind-edit ${blind}`]);
  });

  it('is the older state where the files are older', () => {
    const parent = new RuleRun().has('a.py', 'x').has('b.py', 'x').has('c.py', 'x');
    parent.openFile('a.py');
    parent.edit('a.py', 'y');
    parent.create('new.py', 'x');
    parent.edit('b.py', 'y');
    parent.openFile('b.py');
    parent.openFile('c.py');
    // As before the first edit: a.py was seen so, c.py has not changed since; b.py was seen as it is no more.
    const branch = begun(parent, { copied: 1 }).has('a.py', 'x').has('b.py', 'x').has('c.py', 'x');
    branch.edit('a.py', 'z');
    branch.edit('c.py', 'z');
    const blind = branch.edit('b.py', 'z');
    branch.create('new.py', 'x');
    expect(said(branch, ['blind-edit'])).toEqual([`blind-edit ${blind}`]);
  });

  it('is not known of what was summarised', () => {
    const parent = new RuleRun().has('run.sh', 'x');
    parent.openFile('run.sh');
    parent.think();
    parent.think();
    parent.script.summarise();
    parent.think();
    const branch = begun(parent).has('run.sh', 'x');
    branch.edit('run.sh', 'y');
    expect(said(branch, ['blind-edit'])).toEqual([]);
    branch.commandWriting('python change.py', { 'run.sh': 'z' });
    const blind = branch.edit('run.sh', 'q');
    expect(said(branch, ['blind-edit'])).toEqual([`blind-edit ${blind}`]);
  });

  it('goes through a branch of a branch', () => {
    const parent = new RuleRun().has('run.sh', 'x').has('b.sh', 'x');
    parent.openFile('run.sh');
    parent.openFile('b.sh');
    const first = begun(parent, { root: '/first' }).has('b.sh', 'x');
    first.edit('b.sh', 'y');
    const second = begun(first, { root: '/second', run: '01KRV1E0000000000000000002', copied: 2 });
    second.has('run.sh', 'x').has('b.sh', 'x').has('c.sh', 'x');
    second.edit('run.sh', 'y');
    second.edit('b.sh', 'z');
    const blind = second.edit('c.sh', 'y');
    expect(said(second, ['blind-edit'])).toEqual([`blind-edit ${blind}`]);
  });

  it('moves whole paths only', () => {
    const parent = new RuleRun({ root: '/w' }).has('/w2/run.sh', 'x').has('/data/w/run.sh', 'x');
    parent.command('cat /w2/run.sh /data/w/run.sh');
    const branch = begun(parent).has('/w2/run.sh', 'x').has('/data/w/run.sh', 'x');
    branch.edit('/w2/run.sh', 'y');
    branch.edit('/data/w/run.sh', 'y');
    expect(said(branch, ['blind-edit'])).toEqual([]);
  });
});

describe('what the log of the parent recorded', () => {
  it('is known in the branch: what a program changed, and an edit that found nothing', () => {
    const parent = new RuleRun({ spec: followed }).has('a.py', 'x').has('b.py', 'x');
    parent.command('cat a.py b.py');
    parent.commandWriting('python change.py', { 'a.py': 'y' });
    parent.command("sed -i 's/none/y/' b.py");
    const branch = branchOf(parent).has('a.py', 'y').has('b.py', 'x');
    const blind = branch.edit('a.py', 'z');
    branch.edit('b.py', 'y');
    expect(said(branch, ['blind-edit'])).toEqual([`blind-edit ${blind}`]);
  });

  it('stays undone in a branch of a branch', () => {
    const parent = new RuleRun().has('a.py', 'x');
    parent.think();
    parent.create('new.py', 'x');
    const first = branchOf(parent, { copied: 1, root: '/first' });
    first.think();
    const second = branchOf(first, { root: '/second', run: '01KRV1E0000000000000000002' }).has('new.py', 'q');
    const blind = second.edit('new.py', 'x');
    expect(said(second, ['blind-edit'])).toEqual([`blind-edit ${blind}`]);
  });
});

describe('finish-below-best', () => {
  it('knows the best score that a branch began with', () => {
    const parent = new RuleRun();
    parent.evaluate(60);
    const branch = branchOf(parent, { best: 60 });
    branch.command('python again.py');
    const finish = branch.finish(41);
    const [found] = verdictsOf(branch.script.events).filter(
      ({ verdict }) => verdict.rule === 'finish-below-best',
    );
    expect(found).toMatchObject({
      step: finish,
      verdict: {
        why: 'Finished with a final score of 41; 60 had been reached before the branch.',
        steps: [],
      },
    });
    const better = branchOf(parent, { best: 60 });
    better.finish(60);
    expect(stepsOf(better, 'finish-below-best')).toEqual([]);
    const none = branchOf(parent, { best: null });
    none.finish(1);
    expect(stepsOf(none, 'finish-below-best')).toEqual([]);
  });
});
