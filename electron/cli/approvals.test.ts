import { expect, it, onTestFinished, test } from 'vitest';
import type { ProcessRow, ProcessTable } from '../computer/local/process-table';
import { cliContext } from '../testing/cli-context';
import { eventually } from '../testing/deadline';
import { EndpointsStand } from '../testing/endpoints-stand';
import { call } from '../testing/scripted-answers';
import { parseArguments } from './arguments';
import { queueCommand } from './queue-commands';
import { runCommand } from './run-commands';
import { TerminalPrompts, whyNoPerson } from './terminal-prompts';

const command = (text: string) =>
  call('run_command', {
    computer_ip: 'local',
    session_id: 'main',
    command: text,
    wait_for_completion: true,
  });

let stand: EndpointsStand;
let heard: unknown[] = [];

/** An agent that wants to run these, one a step. */
async function open(...commands: string[]): Promise<string> {
  const calls = [
    call('create_session', { computer_ip: 'local', session_id: 'main' }),
    ...commands.map(command),
    call('finish'),
  ];
  stand = await EndpointsStand.open({
    First: {
      policy: ({ answers, messages }) => {
        heard = messages;
        return { calls: [calls[Math.min(answers, calls.length - 1)] ?? call('finish')] };
      },
    },
  });
  onTestFinished(() => stand.close());
  const order = ['start', '--task', 'small', '--model', 'First', '--isolation', 'none', '--approvals', 'on'];
  const { json } = await place().run(...order);
  return (json as { run: string }).run;
}

/** The command line at one terminal; `interactive`: a person sits there. */
function place({ interactive = false, nobody = null as string | null } = {}) {
  const shown: string[] = [];
  const printed: string[] = [];
  let listening: ((text: string) => void) | null = null;
  const prompts = new TerminalPrompts(
    {
      interactive,
      write: (text) => void shown.push(text),
      keys: (onKeys) => {
        listening = onKeys;
        return () => {
          listening = null;
        };
      },
    },
    () => Promise.resolve(nobody),
  );
  const context = cliContext(stand, {
    prompts,
    terminal: {
      out: (line) => void printed.push(line),
      err: (line) => void shown.push(`${line}\n`),
      write: () => Promise.resolve(true),
    },
  });
  return {
    printed,
    shown: () => shown.join(''),
    asks: () => listening !== null,
    /** Types at a question once it stands there. */
    type: async (prompt: string, text: string) => {
      const press = await eventually(`it asks "${prompt}"`, () =>
        shown.at(-1)?.includes(prompt) ? listening : null,
      );
      press(`${text}\r`);
    },
    run: (...argv: string[]) => runCommand(context, parseArguments(['run', ...argv])),
    queue: (...argv: string[]) => queueCommand(context, parseArguments(['queue', ...argv])),
  };
}

/** Drives the run until it asks for a person's word, and pauses it there. */
async function rest(run: string): Promise<void> {
  const here = place();
  const driving = here.run('resume', run, '--wait');
  await eventually('it says what waits', () => here.shown().includes('run approve'));
  await here.run('pause', run);
  await driving;
}

const mv = 'mv data/datasets/numbers.txt data/datasets/moved.txt';
const toldOfTool = () =>
  (heard as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => String(content));

it('says at once without a terminal what waits, on which computer, and how to answer; a terminal answers', async () => {
  const run = await open(mv);
  const here = place();
  const driving = here.run('resume', run, '--wait');
  await eventually('it says what waits', () => here.shown().includes('run approve'));
  expect(here.shown()).toContain(
    `Run ${run} is waiting for your approval. In step 2 the agent wants to do this on local:\n`,
  );
  expect(here.shown()).toContain(`  | ${mv}\n`);
  expect(here.shown()).toContain(`run refuse ${run} [--reason TEXT]`);
  expect(here.asks()).toBe(false);
  // So do the queue and the run itself.
  expect((await here.queue()).lines.join('\n')).toContain(`  | ${mv}`);
  expect((await here.queue()).json).toMatchObject({ approvals: [{ run, what: mv, on: ['local'] }] });
  const { lines } = await here.run('show', run);
  expect(lines.join('\n')).toContain(`run approve ${run}`);
  expect(lines).toContain(`Status   waiting for your answer: ${mv}`);
  expect((await here.run('list')).lines.join('\n')).toContain(`waiting for your answer: ${mv}`);
  expect((await here.run('list')).json).toMatchObject({ runs: [{ id: run, approvals: 1 }] });

  await expect(here.run('approve', run)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('not a terminal'),
  });
  const agent = place({ interactive: true, nobody: 'this terminal belongs to a session of Waymark' });
  await expect(agent.run('approve', run)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('a session of Waymark'),
  });
  await expect(agent.run('refuse', run)).rejects.toMatchObject({ code: 'refused' });

  const person = place({ interactive: true });
  const declined = person.run('approve', run);
  await person.type('Approve it? (y/N)', '');
  await expect(declined).rejects.toMatchObject({ code: 'cancelled' });
  const approved = person.run('approve', run);
  await person.type('Approve it? (y/N)', 'y');
  expect((await approved).lines).toEqual([`Approved step 2 of run ${run}.`]);
  expect(person.shown()).toContain(`  | ${mv}`);
  expect((await driving).lines[0]).toContain('finished');
  expect(await stand.of(run, 'approval.decided')).toMatchObject([{ decision: 'allow', by: 'Ada' }]);
  await expect(person.run('approve', run)).rejects.toMatchObject({
    message: expect.stringContaining('not waiting for an approval'),
  });
});

it('prints a line of JSON for each with --json', async () => {
  const run = await open(mv);
  const here = place();
  const driving = here.run('resume', run, '--wait', '--json');
  await eventually('it says what waits', () => here.printed.length > 0);
  expect(JSON.parse(here.printed[0] ?? '')).toMatchObject({
    approval: { run, step: 2, what: mv, on: ['local'] },
  });
  expect(here.shown()).toBe('');
  const person = place({ interactive: true });
  expect((await person.run('refuse', run, '--reason', 'Copy it instead.')).lines[0]).toContain(
    'Refused step 2',
  );
  await driving;
  expect(here.printed).toHaveLength(1);
  expect(await stand.of(run, 'approval.decided')).toMatchObject([
    { decision: 'deny', reason: 'Copy it instead.' },
  ]);
  expect(toldOfTool().at(-1)).toContain(
    'The user did not allow this action. The user wrote: "Copy it instead."',
  );
});

it('asks a person at the terminal there and then: no with a reason, always this kind', async () => {
  const run = await open(
    mv,
    'cp data/datasets/numbers.txt data/datasets/b.txt',
    'cp data/datasets/b.txt data/datasets/c.txt',
  );
  const person = place({ interactive: true });
  const driving = person.run('resume', run, '--wait');
  await person.type('Approve it?', 'perhaps');
  await person.type('Approve it?', 'n');
  await person.type('Why not?', 'The others need it.');
  await person.type('always this kind', 'a');
  expect((await driving).lines[0]).toContain('finished');
  const [first, second, ...more] = await stand.of(run, 'approval.decided');
  expect(first).toMatchObject({ decision: 'deny', reason: 'The others need it.' });
  expect(second?.kinds).toHaveLength(1);
  // The second cp is of the kind that was allowed.
  expect(more).toEqual([]);
  expect(toldOfTool().some((text) => text.includes('The others need it.'))).toBe(true);
});

it('takes the question back when it is answered elsewhere; giving it up pauses the run', async () => {
  const run = await open(mv, 'rm data/datasets/moved.txt');
  const person = place({ interactive: true });
  const driving = person.run('resume', run, '--wait');
  await eventually('it asks', () => person.asks());
  const other = place({ interactive: true });
  await other.run('refuse', run);
  await eventually('it asks about the next one', () => person.shown().includes('  | rm ') && person.asks());
  expect(person.shown()).toContain('The question was answered elsewhere');
  await person.type('Approve it?', '\u0003');
  const { lines, exitCode } = await driving;
  expect(lines[0]).toContain('paused');
  expect(exitCode).toBe(1);
  expect(person.asks()).toBe(false);
  // Who takes it up again hears of the question that is open.
  const again = place();
  expect((await again.run('show', run)).lines.join('\n')).toContain('  | rm data');
});

it('ends a prompt of "run approve" with a sentence once the question was answered elsewhere', async () => {
  const run = await open(mv);
  await rest(run);
  const stale = place({ interactive: true });
  const ended = expect(stale.run('approve', run)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('answered elsewhere'),
  });
  await eventually('it asks', () => stale.asks());
  // Nobody drives the run: the answer is in the outbox only.
  await place({ interactive: true }).run('refuse', run);
  await ended;
  expect(stale.asks()).toBe(false);
});

it('takes one answer while nobody drives the run, and says of the next that it comes too late', async () => {
  const run = await open(mv);
  await rest(run);
  const person = place({ interactive: true });
  const approved = person.run('approve', run);
  await person.type('Approve it? (y/N)', 'y');
  expect((await approved).lines[0]).toContain(`run resume ${run}`);
  await expect(person.run('refuse', run)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('already been answered'),
  });
  // Nothing says any more that it waits.
  const { json, lines } = await person.run('show', run);
  expect(json).toMatchObject({ approvals: [] });
  expect(lines.join('\n')).not.toContain('waiting for your answer');
  expect((await person.run('list')).json).toMatchObject({ runs: [{ id: run, approvals: 0 }] });
  expect((await person.queue()).json).toMatchObject({ approvals: [] });
  const again = place();
  expect((await again.run('resume', run, '--wait')).lines[0]).toContain('finished');
  expect(again.shown()).toBe('');
  expect(await stand.of(run, 'approval.decided')).toMatchObject([{ decision: 'allow', by: 'Ada' }]);
});

/** A process table of rows `pid: [parent, group, foreground, whether it was started in a session]`. */
function table(rows: Record<number, [number, number, number, boolean]>): ProcessTable {
  const one = async (pid: number) => {
    const row = rows[pid];
    if (row === undefined) return undefined;
    const [parent, group, foreground] = row;
    return {
      pid,
      parent,
      group,
      session: 1,
      foreground,
      stat: 'S',
      start: '',
      name: 'x',
    } satisfies ProcessRow;
  };
  return {
    one,
    startedIn: async ({ pid }: ProcessRow) => rows[pid]?.[3] ?? false,
  } as unknown as ProcessTable;
}

test('a person is who types in the foreground of a terminal that no session of an agent opened', async () => {
  expect(await whyNoPerson(table({ 9: [5, 9, 9, false], 5: [1, 5, 9, false] }), 9)).toBeNull();
  expect(await whyNoPerson(table({ 9: [5, 9, 9, false], 5: [1, 5, 9, true] }), 9)).toContain(
    'a session of Waymark',
  );
  expect(await whyNoPerson(table({ 9: [5, 9, 9, true], 5: [1, 5, 9, false] }), 9)).toContain(
    'a session of Waymark',
  );
  expect(await whyNoPerson(table({ 9: [5, 9, 5, false], 5: [1, 5, 5, false] }), 9)).toContain('background');
});
