import { join } from 'node:path';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import { childCommand, finished, start } from '../child-process';
import { acknowledge, parseAcknowledgements } from '../durability/acknowledgement';
import { Material } from '../engine/material';
import { author } from '../engine/run-events';
import { type Bench, figure, shorten, size } from '../harness';
import { runCache } from '../window/desktop';

/** The kill comes at a random moment up to this long after the first acknowledged label, ms. */
const LONGEST_LIFE_MS = 400;
/** All is verified after this many kills; each time the labels are looked for. */
const VERIFY_EVERY = 25;

/** Kills a process that labels without a pause, again and again, and looks for every label it was told of. */
export const killLabels: Bench = {
  name: 'kill-labels',
  about: 'labels lost over kill -9 of the process that stores them',
  async run(options) {
    const count = size(options, 20, 500, 2);
    const { folder, run } = await realisticWorkspace('S', {
      folder: join(options.folder, 'w'),
      cache: runCache(),
    });
    const chance = new Material(21);
    const lost: string[] = [];
    const reopened: number[] = [];
    let told = 0;
    for (let kill = 1; kill <= count; kill += 1) {
      const seen = await liveAndDie(folder, run, kill, chance.whole(LONGEST_LIFE_MS));
      told += seen.length;
      const before = performance.now();
      const store = openStoreInProcess(folder);
      try {
        for (const ulid of seen) {
          if ((await store.reader.entry(ulid)) === null) lost.push(`kill ${kill}: label ${ulid}`);
        }
        reopened.push(performance.now() - before);
        if (kill % VERIFY_EVERY === 0 || kill === count) {
          await store.drain();
          const report = await store.reader.verify();
          if (!report.ok) lost.push(`kill ${kill}: ${JSON.stringify(report).slice(0, 400)}`);
        }
      } finally {
        await store.close();
      }
    }
    for (const line of lost.slice(0, 10)) options.say(line);
    const detail = `${count} kills, ${told} acknowledged labels and undos; slowest reopening ${shorten(Math.max(...reopened))} ms`;
    return [figure('kill-labels', lost.length, 'lost', { is: '≤', value: 0 }, { detail })];
  },
};

async function liveAndDie(folder: string, run: string, seed: number, lifeMs: number): Promise<string[]> {
  const child = start(childCommand('labels', [folder, run, String(seed)]));
  const end = finished(child);
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), lifeMs));
  const { code, signal, out } = await end;
  if (signal !== 'SIGKILL') throw new Error(`The labelling process ended by itself (${code ?? signal}).`);
  return parseAcknowledgements(out).flatMap((each) => (each.kind === 'annotation' ? [each.ulid] : []));
}

/** `FOLDER RUN SEED`: labels steps and ranges and takes some back, and says what was acknowledged, until it is killed. */
export async function labelUntilKilled([folder = '', run = '', seed = '']: readonly string[]): Promise<void> {
  const chance = new Material(Number(seed));
  const store = openStoreInProcess(folder);
  const { steps } = await store.reader.run(run);
  for (;;) {
    const from = 1 + chance.whole(steps);
    const to = chance.random() < 0.2 ? Math.min(steps, from + chance.whole(60)) : from;
    const value = chance.random() < 0.5 ? ('train' as const) : ('mask' as const);
    const label = await store.writer.annotate(
      author,
      { run, from, to },
      { op: 'label', value, reason: null },
    );
    acknowledge({ kind: 'annotation', ulid: label.ulid });
    if (chance.random() < 0.1) {
      const undone = await store.writer.undo(run, author);
      if (undone !== null) acknowledge({ kind: 'annotation', ulid: undone.entry.ulid });
    }
  }
}
