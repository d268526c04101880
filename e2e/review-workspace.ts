import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveToApplication } from '../scripts/launch.mjs';
import type { AnnotationEntry } from '../shared/log/annotations';
import type { Place } from './application';
import { commandLine } from './command-line';

const fixtures = join(import.meta.dirname, 'fixtures', 'researchgym');
/** A node of a real agent's tree, with the answer that ended it. */
export const exampleLog = join(fixtures, 'react-node-real-depth70.json');
export const ada = 'Ada Lovelace';
export const bob = 'Bob Ng';
/** Steps of the node: actions of a real agent, one model call each. */
export const STEPS = 69;
/** Steps no judge voted on. No rule speaks about them either, so they are undecided. */
export const OPEN = [20, 60] as const;
/** Steps the judge would mask; a keep rule speaks for the second. */
export const JUDGED_MASK = [5, 22, 30] as const;
/** A step about which the judge is unsure. */
export const UNSURE = 40;
/** What the second annotator decided, before the window is opened. */
export const BOBS = { mask: 11, train: 12 } as const;

/** The hint of the tree among the example logs; no step before it shares a word with it. */
const TREE_HINT = 'Please use vLLM';

/**
 * Makes a run of an example log, in the workspace of a person whose window it will be. `settings` on top of theirs, `hint` instead of
 * the one in the tree.
 */
export function importExample(
  place: Place,
  name: string,
  title: string,
  settings = {},
  hint = TREE_HINT,
): string {
  settleIn(place, settings);
  const copy = join(place.folder, 'examples', name);
  cpSync(join(fixtures, name), copy, { recursive: true });
  if (hint !== TREE_HINT) replaceIn(copy, TREE_HINT, hint);
  giveToApplication(join(place.folder, 'examples'));
  return commandLine<{ run: string }>(place, 'import', copy, '--title', title).run;
}

/** Makes a run of a log that a test wrote, in the same workspace. */
export function importLog(place: Place, log: object, title: string): string {
  settleIn(place, {});
  const path = join(place.folder, 'examples', 'log.json');
  mkdirSync(join(place.folder, 'examples'), { recursive: true });
  writeFileSync(path, JSON.stringify(log));
  giveToApplication(join(place.folder, 'examples'));
  return commandLine<{ run: string }>(place, 'import', path, '--title', title).run;
}

/** In every file of a folder. */
function replaceIn(folder: string, text: string, other: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) replaceIn(path, text, other);
    else writeFileSync(path, readFileSync(path, 'utf8').replaceAll(text, other));
  }
}

/** Whose window it will be: the settings that first use would have written. */
function settleIn(place: Place, more: object): void {
  mkdirSync(place.data, { recursive: true });
  const annotator = { uuid: randomUUID(), name: ada };
  const settings = { annotator, device: randomUUID(), ...more };
  writeFileSync(join(place.data, 'settings.json'), JSON.stringify(settings));
  giveToApplication(place.data);
}

/** A run of a real agent with a judge's votes, a second annotator's labels and an assignment to both people. */
export function prepareReview(place: Place, settings = {}): string {
  const run = importExample(place, 'react-node-real-depth70.json', 'Data set for math', settings);
  const votes = join(place.folder, 'votes.jsonl');
  writeFileSync(votes, judgesVotes().join('\n'));
  giveToApplication(place.folder);
  commandLine(place, 'label', 'judge', run, votes);
  commandLine(place, 'label', run, String(BOBS.mask), 'mask', '--annotator', bob);
  commandLine(place, 'label', run, String(BOBS.train), 'train', '--annotator', bob);
  const own = { ...place, env: { WAYMARK_DATA: place.data } };
  commandLine(own, 'queue', 'assign', '--run', run, '--to', `${ada},${bob}`, '--overlap', '1');
  return run;
}

function judgesVotes(): string[] {
  const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
  const masked: readonly number[] = JUDGED_MASK;
  const open: readonly number[] = OPEN;
  return steps
    .filter((step) => !open.includes(step))
    .map((step) =>
      JSON.stringify({
        step,
        judge: 'judge-a',
        value: masked.includes(step) ? 'mask' : 'keep',
        confidence: step === UNSURE ? 0.4 : 0.9,
        reason: 'blind-edit',
        why: 'It edits without having looked.',
        rubric: 'v1',
      }),
    );
}

/** What a person wrote into the annotation log, oldest first, as another process reads it from the disk. */
export function entriesOf(place: Place, person: string): AnnotationEntry[] {
  const out = join(place.folder, 'labels.jsonl');
  commandLine(place, 'label', 'export', '--out', out);
  return readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { body } = JSON.parse(line) as { body?: string };
      return body === undefined ? [] : [JSON.parse(body) as AnnotationEntry];
    })
    .filter(({ author, body }) => author.name === person && body.op !== 'assign')
    .sort((a, b) => a.deviceSeq - b.deviceSeq);
}
