import { WaymarkError } from '@shared/contract/errors';
import type { AssignOrder, AssignPreview } from '@shared/contract/ipc/queue';
import { type AssignUnit, planAssignments, targetsOf } from '@shared/labels/review/assign-plan';
import { common, stepsIn } from '@shared/labels/review/step-ranges';
import type { AnnotationEntry, Author } from '@shared/log/annotations';
import { newUlid } from '../base/new-ulid';
import type { Store } from '../store/api';

/** Who would get what. Only own steps of a run are handed out: those before a branch point belong to the run they were made in. */
export async function planBatch(reader: Store['reader'], order: AssignOrder): Promise<AssignPreview> {
  const units: AssignUnit[] = [];
  const titles: Record<string, string> = {};
  let already = 0;
  for (const id of new Set(order.runs)) {
    const [run, assigned] = await Promise.all([reader.run(id), reader.assignedSteps(id)]);
    const own = { from: (run.parent?.step ?? 0) + 1, to: run.steps };
    titles[id] = run.title;
    if (own.to < own.from) continue;
    already += stepsIn(common([own], assigned));
    if (order.by === 'run') units.push({ run: id, ...own });
    else units.push(...(await segmentsOf(reader, id, own)));
  }
  if (units.length === 0) throw new WaymarkError('bad_input', 'These runs have no steps to hand out yet.');
  return { ...planAssignments({ ...order, units }), already, titles };
}

async function segmentsOf(
  reader: Store['reader'],
  run: string,
  own: { from: number; to: number },
): Promise<AssignUnit[]> {
  const segments = await reader.segments(run);
  const firsts = segments
    .map(({ firstStep }) => firstStep)
    .filter((step) => step > own.from && step <= own.to);
  const starts = [own.from, ...firsts];
  return starts.map((from, index) => ({ run, from, to: (starts[index + 1] ?? own.to + 1) - 1 }));
}

/**
 * Writes a plan as one batch. `digest`: of the plan that was looked at. @throws WaymarkError conflict when it would be another
 * one by now: a run has grown, say.
 */
export async function assignBatch(
  store: Store,
  author: Author,
  order: AssignOrder,
  digest: string,
): Promise<{ batch: string; entries: number }> {
  const plan = await planBatch(store.reader, order);
  if (plan.digest !== digest) {
    throw new WaymarkError(
      'conflict',
      'The runs have changed since this plan was made. Review the new plan.',
    );
  }
  const batch = newUlid();
  let entries = 0;
  for (const share of plan.shares) {
    const { to, blind } = share;
    for (const target of targetsOf(share)) {
      await store.writer.annotate(author, target, { op: 'assign', batch, to, blind, on: true });
      entries += 1;
    }
  }
  return { batch, entries };
}

/** Takes everybody off a batch; what they have decided stays. @throws WaymarkError not_found */
export async function takeBackBatch(
  store: Store,
  author: Author,
  batch: string,
): Promise<{ entries: number }> {
  const found = (await store.reader.batches()).find((each) => each.batch === batch);
  if (found === undefined) {
    throw new WaymarkError(
      'not_found',
      `There is no batch ${batch}, or it was already withdrawn. The review queue lists the batches under "Assign".`,
    );
  }
  for (const { target, body } of found.entries) await takeBack(store, author, target, body);
  return { entries: found.entries.length };
}

async function takeBack(
  store: Store,
  author: Author,
  target: AnnotationEntry['target'],
  body: AnnotationEntry['body'],
): Promise<void> {
  if (body.op === 'assign') await store.writer.annotate(author, target, { ...body, on: false });
}
