import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noticesOf } from '@shared/log/event-parts';
import type { NewEvent } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { afterEach, expect, test } from 'vitest';
import { verdictsOf } from '../testing/rule-run';
import { seededRandom } from '../testing/seeded-random';
import { type ActionRig, actionRig, testTask } from './action-rig';

let rig: ActionRig | undefined;
afterEach(async () => {
  await rig?.dispose();
  rig = undefined;
});

type Call = [name: string, args: Record<string, unknown>];

/** Answers of one to three calls each, on a real shell and real files: what they were told, and what the rules say. */
async function both(planned: (root: string) => Call[][], files: Record<string, string>) {
  rig = await actionRig({ task: { guards: { think_first: 'off' } } });
  const { root, actions, context } = rig;
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
  const { code_folders, computers, workspace } = testTask();
  const script = new RunScript('01KRV1E0000000000000000000', {
    workspaceRoot: root,
    spec: { code_folders, computers, workspace },
  }).startSegment();
  const told = { blind: new Set<number>(), twice: new Set<number>() };
  for (const calls of planned(root)) {
    const step = script.step + 1;
    // The answer as the loop records it; what the calls do is recorded from what they really did.
    script.answer(calls.map(([name]) => ({ name, unobserved: true })));
    while (script.events.at(-1)?.kind === 'action.started') script.events.pop();
    for (const [call, [name, args]] of calls.entries()) {
      const parsed = actions.parse(name, JSON.stringify(args));
      if (!parsed.ok) throw new Error(parsed.problem);
      const where = { step, call, callId: `c${step}.${call}`, name };
      const outcome = await actions.run(parsed.call, context({ step, call, callId: where.callId }));
      const { ok, error, text, data, closedBy } = outcome;
      const more = { durationMs: 1, offsets: {}, imitatesHuman: false };
      const events: NewEvent[] = [
        { kind: 'action.started', body: { ...where, args: parsed.call.args, guards: [] } },
        ...outcome.events,
        { kind: 'action.observed', body: { ...where, ok, error, text, data, closedBy, ...more } },
      ];
      for (const event of events) script.add(event.kind, event.body as never);
      for (const { rule, message } of noticesOf(data)) {
        expect(text).toContain(`[Notice] ${message}`);
        (rule === 'edit_unseen' ? told.blind : told.twice).add(step);
      }
    }
  }
  const verdicts = verdictsOf(script.events);
  const of = (rule: string) =>
    verdicts.filter(({ verdict }) => verdict.rule === rule).map(({ step }) => step);
  return {
    blind: [...told.blind],
    twice: [...told.twice],
    rule: of('blind-edit'),
    strict: of('blind-edit-strict'),
  };
}

const FILES = ['a.py', 'b.sh', 'run.log'];

function randomCall(root: string, pick: (below: number) => number): Call {
  const file = FILES[pick(FILES.length)] ?? 'a.py';
  const path = `${root}/${file}`;
  const sh = (command: string): Call => ['run_command', { command, wait_for_completion: true }];
  const calls: (() => Call)[] = [
    () => ['open_file', { path }],
    () => ['search_file', { search_term: 'x', file_path: path }],
    () => ['search_dir', { search_term: `x${pick(2) === 0 ? '' : ' 1'}`, dir_path: root }],
    () => ['create_file', { filename: path, content: `x ${pick(3)}\ny\n` }],
    () => ['edit_file', { path, start: 1, end: 1, content: `x ${pick(3)}` }],
    () => ['edit_file', { path, start: 1, end: 1, content: `x ${pick(3)}` }],
    () => sh(`cat ${file}`),
    () => sh(`grep -n x ${path}`),
    () => sh(`sed -i 's/x/x${pick(9)}/' ${file}`),
    () => sh(`sed -i 's/none/x/' ${file}`),
    () => sh(`echo "x ${pick(9)}" > ${file}`),
    () => sh(`echo "x ${pick(9)}" >> ${path}`),
    () => sh(`cat > ${file} <<'END'\nx ${pick(9)}\nEND`),
    () => sh(`seq ${pick(9)} 12 | tee ${file}`),
    () => sh(`seq ${pick(9)} 20 > ${file}`),
    () => sh(`cp ${file} copy.txt && mv copy.txt ${path}`),
    () => sh(`rm -f ${file}`),
    () => sh('true'),
  ];
  return (calls[pick(calls.length)] ?? calls[0])?.() as Call;
}

test.each([
  1, 2, 3, 4,
])('what an agent is told of its edits is what the rules say of them (%i)', async (seed) => {
  const random = seededRandom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const found = await both(
    (root) =>
      Array.from({ length: 30 }, () =>
        Array.from({ length: pick(3) === 0 ? 3 : 1 }, () => randomCall(root, pick)),
      ),
    { 'a.py': 'x\n', 'b.sh': 'x\ny\n' },
  );
  expect(found.blind).toEqual(found.rule);
  for (const step of found.twice) expect(found.strict).toContain(step);
  expect(found.rule.length).toBeGreaterThan(0);
}, 180_000);

const told = async (calls: (root: string) => Call[], files: Record<string, string>) => {
  const found = await both((root) => calls(root).map((call) => [call]), files);
  expect(found.blind).toEqual(found.rule);
  return found.blind;
};
const sh = (command: string): Call => ['run_command', { command, wait_for_completion: true }];

test('a search of a folder is a look at the files whose lines it showed', async () => {
  const long = `needle ${'x'.repeat(390)}\n`;
  const names = Array.from({ length: 60 }, (_, i) => `f${String(i).padStart(2, '0')}.py`);
  expect(
    await told(
      (root) => [
        ['search_dir', { search_term: 'needle', dir_path: root }],
        // The first and the last are shown; what is left out in the middle is not.
        ['edit_file', { path: `${root}/f00.py`, start: 1, end: 1, content: 'q' }],
        ['edit_file', { path: `${root}/f59.py`, start: 1, end: 1, content: 'q' }],
        ['edit_file', { path: `${root}/f20.py`, start: 1, end: 1, content: 'q' }],
        ['edit_file', { path: `${root}/other.py`, start: 1, end: 1, content: 'q' }],
      ],
      { ...Object.fromEntries(names.map((name) => [name, long])), 'other.py': 'x\n' },
    ),
  ).toEqual([4, 5]);
}, 60_000);

test('an edit in place that found nothing is none', async () => {
  expect(
    await told(
      (root) => [
        sh("sed -i 's/none/y/' a.py"),
        ['open_file', { path: `${root}/b.py` }],
        sh("sed -i 's/none/y/' b.py"),
        ['edit_file', { path: `${root}/b.py`, start: 1, end: 1, content: 'q' }],
        sh("sed -i 's/x/y/' a.py"),
        // Nothing records what is changed in hidden files.
        sh("sed -i 's/none/y/' .hidden"),
      ],
      { 'a.py': 'x\n', 'b.py': 'x\n', '.hidden': 'x\n' },
    ),
  ).toEqual([5, 6]);
}, 60_000);

test('text that is added to what a program wrote destroys nothing', async () => {
  expect(
    await told(
      (root) => [
        sh('seq 3 > run.log'),
        sh('echo done >> run.log'),
        sh(`python3 -c "open('own.log', 'w').write('x')"`),
        sh(`echo done | tee -a ${root}/own.log`),
        sh('echo done > run.log'),
        sh('echo y >> a.py'),
      ],
      { 'a.py': 'x\n' },
    ),
  ).toEqual([5, 6]);
}, 60_000);
