import { WaymarkError } from '@shared/contract/errors';
import type { EventBody } from '@shared/log/events';
import type { StoreReader } from '../store/api';

type Reader = Pick<StoreReader, 'events' | 'hints' | 'run'>;

export interface BranchHint {
  id: string;
  /** Null where the run that it was sent to has been removed. */
  text: string | null;
  /** The step whose observation carries it; 0 = the task. */
  step: number;
}

/** Where a branch comes from, and what became of the hints in the context that it took over. */
export interface BranchHints {
  parent: { run: string; step: number };
  inherited: BranchHint[];
  dropped: BranchHint[];
  added: BranchHint[];
}

const PAGE = 500;

/** Null for a run that is no branch. @throws WaymarkError not_found */
export async function branchHints(reader: Reader, run: string): Promise<BranchHints | null> {
  const { parent } = await reader.run(run);
  if (parent === null) return null;
  const { began, segment, steps } = await beginning(reader, run);
  if (began === null) return { parent, inherited: [], dropped: [], added: [] };
  const sent = await sentBefore(reader, parent.run);
  const own = new Set(began.added.map(({ id }) => id));
  const inherited: BranchHint[] = [
    ...(segment?.hints ?? []).map((hint) => ({ ...hint, step: sent.get(hint.id)?.step ?? 0 })),
    ...steps.flatMap(({ delivered }) =>
      delivered.flatMap(({ hints, step }) => hints.map((hint) => ({ ...hint, step }))),
    ),
  ].filter(({ id }) => !own.has(id));
  const known = new Set([...inherited.map(({ id }) => id), ...began.dropped]);
  // What joined the task stands in the head, which does not name it.
  const inTask = [...sent.values()].filter(({ id, step }) => step === 0 && !known.has(id));
  return {
    parent,
    inherited: [...(segment?.summary === undefined ? inTask : []), ...inherited],
    dropped: began.dropped.map((id) => sent.get(id) ?? { id, text: null, step: 0 }),
    added: began.added.map((hint) => ({ ...hint, step: parent.step })),
  };
}

/** The first events of a branch: its head, the steps it took over, and the word that ends them. */
async function beginning(reader: Pick<StoreReader, 'events'>, run: string) {
  const steps: EventBody<'step.inherited'>[] = [];
  let segment: EventBody<'segment.started'> | null = null;
  let began: EventBody<'branch.began'> | null = null;
  for (let from = 1; began === null; ) {
    const events = await reader.events(run, from, PAGE);
    for (const event of events) {
      if (event.kind === 'segment.started') segment ??= event.body;
      if (event.kind === 'step.inherited') steps.push(event.body);
      if (event.kind === 'branch.began') began = event.body;
      if (began !== null) break;
    }
    const last = events.at(-1);
    if (last === undefined) break;
    from = last.seq + 1;
  }
  return { began, segment, steps };
}

/** Hints that were delivered in a run and in those it branched from, by id; a run that was removed has none to tell. */
async function sentBefore(reader: Reader, run: string): Promise<Map<string, BranchHint>> {
  const sent = new Map<string, BranchHint>();
  for (let owner: string | undefined = run; owner !== undefined; ) {
    try {
      const { parent }: { parent: { run: string } | null } = await reader.run(owner);
      for (const { id, text, step } of (await reader.hints(owner)).hints) {
        if (step !== null && !sent.has(id)) sent.set(id, { id, text, step });
      }
      owner = parent?.run;
    } catch (error) {
      if (!(error instanceof WaymarkError && error.code === 'not_found')) throw error;
      owner = undefined;
    }
  }
  return sent;
}
