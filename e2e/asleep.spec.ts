import { readFileSync } from 'node:fs';
import { setTimeout as pass } from 'node:timers/promises';
import { expect, type Page } from '@playwright/test';
import { type ScriptedPolicy, startScriptedModel } from '../electron/model/scripted-server';
import { ClientFiles } from '../electron/testing/ssh/client-files';
import { namespacesMissing } from '../electron/testing/ssh/namespaces';
import { type SshHost, startSshHost } from '../electron/testing/ssh/ssh-host';
import { giveToApplication } from '../scripts/launch.mjs';
import { test, type Waymark } from './application';
import { commandLine, commandOutput } from './command-line';
import { preparePacedRun } from './paced-run';
import { focusTimeline, row, runEnded } from './story';

/** What the promise allows between waking up and being connected again, ms. */
const CONNECTED_WITHIN = 10_000;
const full = process.env.WAYMARK_FULL === '1';
/** How long the application stands still, ms: minutes of sleep, scaled. */
const ASLEEP_MS = full ? 30_000 : 5_000;
/** Where the clock stands after each sleep, over where it would, ms. */
const sleeps = full ? [3_600_000, -259_200_000, 0] : [3_600_000];
const hintBefore = (sleep: number) => `Written before sleep ${sleep}.`;

// biome-ignore lint/suspicious/noSkippedTests: hosts need root and namespaces; the reason is told
test.skip(namespacesMissing !== undefined, namespacesMissing);

test(`asleep in mid-run (${sleeps.length}×): connected again within 10 s, no hint lost, no turn of the agent doubled`, async ({
  place,
}) => {
  test.setTimeout(120_000 + sleeps.length * (ASLEEP_MS + 60_000));
  const model = await startScriptedModel({ policy });
  const files = await ClientFiles.make();
  const host = await startSshHost({ authorizedKeys: [files.key.publicLine] });
  try {
    await files.add('box', host);
    await files.trust(host);
    giveToApplication(files.folder);
    const computers = [{ alias: 'box', transport: 'ssh2', addedAt: Date.now() }];
    await preparePacedRun(place, model, 2 + 2 * sleeps.length, 'Ada', 'off', { computers });
    const waymark = await place.start({
      args: ['--workspace', place.workspace],
      env: { WAYMARK_SSH_CONFIG: files.configFile },
    });
    const { page, complaints } = waymark;
    await page.getByRole('button', { name: 'New run' }).first().click();
    await page.getByRole('combobox', { name: 'Where local is' }).selectOption('box');
    await page.getByRole('button', { name: 'Start run' }).click();
    await expect(row(page, 1)).toBeVisible({ timeout: 60_000 });

    for (const [index, step] of sleeps.entries()) {
      const sleep = index + 1;
      await untilThere(host, `ticking${sleep}`);
      await queueHint(page, sleep);
      await fallAsleep(waymark, step);
      await host.network?.linkDown();
      // The sleep itself: what is tested is that this time passes.
      await pass(ASLEEP_MS);
      await host.network?.linkUp();
      const awake = await wakeUp(waymark);
      await host.shell(`touch go${sleep}`);
      // The command has ended on the host; who asks the model for the next step has heard of it, over a link that works.
      await expect.poll(() => asked(model).has(2 * sleep + 1), { timeout: 60_000 }).toBe(true);
      expect(performance.now() - awake).toBeLessThan(CONNECTED_WITHIN);
    }
    await runEnded(page);

    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    const run = runs[0]?.id ?? '';
    expect(commandLine(place, 'run', 'show', run)).toMatchObject({
      status: 'finished',
      hints: sleeps.map((_, index) => ({ text: hintBefore(index + 1), state: 'delivered' })),
    });
    const last = model.requests.at(-1)?.messages ?? [];
    const context = last.map(({ content }) => content).join('\n');
    for (const index of sleeps.keys()) expect(context.split(hintBefore(index + 1))).toHaveLength(2);
    // Each turn was asked for once and acted on once.
    expect([...asked(model).values()]).toEqual(Array.from({ length: 2 + 2 * sleeps.length }, () => 1));
    const notes = await host.shell("find ~ -name notes.txt -exec cat '{}' +");
    const turns = sleeps.flatMap((_, index) => [`ran ${index + 1}`, `looked ${index + 1}`]);
    expect(notes.trim().split('\n')).toEqual(turns);
    const { sessions } = commandLine<{
      sessions: { session: string; uid: string; gaps: unknown[] }[];
    }>(place, 'session', 'list', '--run', run);
    for (const { session, uid, gaps } of sessions) {
      expect(gaps).toEqual([]);
      const log = `.local/state/waymark/sessions/${run}/.closed-${uid}/spool`;
      // The run has ended here a moment before its host has closed the session.
      const closed = `until [ -e ${log} ]; do sleep 0.05; done; base64 -w0 ${log}`;
      const there = Buffer.from(await host.shell(closed), 'base64');
      const here = commandOutput(place, 'session', 'tail', session, '--run', run, '--all', '--raw');
      expect(here.equals(there)).toBe(true);
    }
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
    expect(complaints).toEqual([]);
    commandLine({ ...place, env: { WAYMARK_SSH_CONFIG: files.configFile } }, 'run', 'remove', run);
  } finally {
    await host.stop();
    await files.remove();
    await model.close();
  }
});

/** A session, then for each sleep a command that prints until the test ends it, and another one. */
const policy: ScriptedPolicy = ({ answers }) => {
  if (answers === 0) return { text: 'Begin.', calls: [call('create_session', { session_id: 'main' })] };
  const sleep = Math.ceil(answers / 2);
  if (sleep > sleeps.length) return { text: 'Done.', calls: [call('finish', {})] };
  const ticking = `touch ~/ticking${sleep}; until [ -e ~/go${sleep} ]; do echo tick; sleep 0.05; done; seq 8 > data/outputs/answer.txt; echo ran ${sleep} >> notes.txt`;
  const command = answers % 2 === 1 ? ticking : `echo looked ${sleep} >> notes.txt`;
  const args = { command, session_id: 'main', wait_for_completion: true };
  return { text: `Sleep ${sleep}.`, calls: [call('run_command', args)] };
};

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });

/** How often the model was asked for each turn, by how many answers came before it. */
function asked({ requests }: { requests: { answers: number }[] }): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { answers } of requests) counts.set(answers, (counts.get(answers) ?? 0) + 1);
  return counts;
}

async function untilThere(host: SshHost, file: string): Promise<void> {
  await host.shell(`until [ -e ${file} ]; do sleep 0.05; done`);
}

async function queueHint(page: Page, sleep: number): Promise<void> {
  await focusTimeline(page);
  await page.keyboard.press('i');
  await page.getByRole('textbox', { name: 'Hint to the agent' }).fill(hintBefore(sleep));
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(new RegExp(`^Hint ${sleep}`)).first()).toBeVisible();
}

/**
 * Stops every process of the application where it is. `step`: by how much its wall clock is ahead when it goes on, ms. The
 * clock is the one of its main process, set at `Date.now`; the machine's own is left alone.
 */
async function fallAsleep({ app }: Waymark, step: number): Promise<void> {
  await app.evaluate(
    ({ powerMonitor }, { ms, at }) => {
      powerMonitor.emit('suspend');
      const before = Date.now;
      Date.now = () => before() + (performance.timeOrigin + performance.now() >= at ? ms : 0);
    },
    { ms: step, at: Date.now() + ASLEEP_MS / 2 },
  );
  const pid = await app.evaluate(() => globalThis.process.pid);
  process.kill(-groupOf(app), 'SIGSTOP');
  await expect.poll(() => statOf(pid)[0]).toBe('T');
}

/** When it goes on, by `performance.now()`. */
async function wakeUp({ app }: Waymark): Promise<number> {
  const awake = performance.now();
  process.kill(-groupOf(app), 'SIGCONT');
  await app.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'));
  return awake;
}

/** The process group that Playwright started the application as. */
function groupOf(app: Waymark['app']): number {
  const pid = app.process().pid ?? 0;
  if (Number(statOf(pid)[2]) !== pid) throw new Error('The application has no process group of its own.');
  return pid;
}

/** State, parent and group of a process, and more, as Linux tells them. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}
