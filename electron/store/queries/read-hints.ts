import { hintBlock } from '@shared/context/human-tag';
import type { RunHints, RunState } from '@shared/contract/views';
import { hintVerdicts } from '@shared/labels/annotation-fold';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { HintVerdict, HintView } from '@shared/log/outbox';
import { isDue } from '@shared/runs/hint-queue';
import { waitsForModel } from '@shared/runs/run-status';
import { RangeIndex } from '../log/range-index';
import { HintProjection } from '../projections/hint-projection';
import { findRun, type ReadContext, type RunRecord } from './read-context';
import { runWord } from './read-runs';

type Waits = NonNullable<RunHints['waitsFor']>;

/** All hints of a run, and why those that wait do. Throws `not_found`. */
export function readHints(context: ReadContext, ulid: string): RunHints {
  const run = findRun(context, ulid);
  const verdicts = readVerdicts(context, run);
  const hints = new HintProjection(context.statements)
    .views(run.id)
    .map((hint) => ({ ...hint, verdict: verdicts.get(hint.id) ?? null }));
  const queued = hints
    .filter(({ state }) => state === 'queued')
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  const textToSend = hintBlock(queued.filter(isDue).map(({ text }) => text));
  return { run: ulid, hints, textToSend, waitsFor: waitsFor(context, run, queued) };
}

const WAITS: Record<RunState, Waits['reason']> = {
  created: 'undriven',
  undriven: 'undriven',
  thinking: 'model',
  acting: 'action',
  sleeping: 'sleep',
  waiting_host: 'host',
  waiting_human: 'human',
  paused: 'paused',
  finished: 'ended',
  stopped: 'ended',
  failed: 'ended',
  importing: 'ended',
  import_broken: 'ended',
};

/** In these states nobody looks at conditions either. */
const RESTS: ReadonlySet<Waits['reason']> = new Set(['undriven', 'paused', 'ended']);

/** What the first hint that may go out waits for; where none may, their conditions. */
function waitsFor(context: ReadContext, run: RunRecord, queued: readonly HintView[]): RunHints['waitsFor'] {
  if (queued.length === 0) {
    return null;
  }
  const word = runWord(context, run);
  const reason = waitsForModel({ state: word, reason: run.state.reason }) ? 'model_away' : WAITS[word];
  if (!RESTS.has(reason) && !queued.some(isDue)) {
    return { reason: 'condition', until: null };
  }
  return { reason, until: reason === 'sleep' ? run.state.until : null };
}

function readVerdicts(context: ReadContext, run: RunRecord): Map<string, HintVerdict | null> {
  const said = context.statements
    .all<{ body: string }>(
      "SELECT body FROM annotation WHERE run = ? AND op = 'hint' AND purged = 0 ORDER BY id",
      run.id,
    )
    .map(({ body }) => JSON.parse(body) as AnnotationEntry);
  const steps = new Set(said.map(({ target }) => target.from));
  const ranges = new RangeIndex(context.statements);
  // An undo has the target of what it takes out, so these steps hold all that counts.
  return hintVerdicts([...steps].flatMap((step) => ranges.overlapping(run.id, [{ from: step, to: step }])));
}
