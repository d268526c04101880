import { finalScore } from '@shared/runs/scores';
import { modelOf, stepRanges } from './plan';
import type { DatasetRow } from './rows';

/** Where a row is from and what decided its masks, under names that stay the same in every format. Absent facts are left out. */
export function rowMetadata(row: DatasetRow): Record<string, unknown> {
  const { kind, run, segment, steps, masks, carried } = row.plan;
  const { created, scores, evaluatorIsolated, protectedChanged } = run;
  const { model } = modelOf(row.plan);
  return {
    source_name: 'waymark',
    kind,
    run: created.run,
    segment: segment.segment,
    task: created.task.id,
    task_hash: created.task.hash,
    model,
    ...present({
      domain: created.task.domain,
      score: finalScore(scores),
      final_evaluation: scores.finalUnavailable === true ? 'unavailable' : null,
      best_score: scores.best,
      experiment: created.experiment,
      arm: created.arm,
      group: created.group,
      sample: created.sample,
      seed: created.seed,
    }),
    evaluator_isolated: evaluatorIsolated,
    ...(protectedChanged === undefined ? {} : { protected_changed: protectedChanged }),
    task_hint: created.taskHint,
    human_hints: created.humanHints,
    steps: steps.map(({ step, id, label, given, ...sampled }) => ({
      step,
      id,
      mask: masks.get(step) ?? 0,
      ...(sampled.model.model === model ? {} : { model: sampled.model.model }),
      ...present({ source: label.source, reason: label.reason, given_reason: given }),
    })),
    ...(carried.size === 0 ? {} : { carried: [...carried].map(([step, mask]) => ({ step, mask })) }),
    ...(row.notAsSent.length === 0 ? {} : { not_as_sent: row.notAsSent.map(difference) }),
    ...(row.refused.length === 0 ? {} : { refused: row.refused }),
  };
}

/** Places among the row's messages, from 0, and steps, both as `3, 5-9`. */
function difference({ why, messages, steps }: DatasetRow['notAsSent'][number]): Record<string, string> {
  return { why, messages: stepRanges(messages), steps: stepRanges(steps) };
}

function present(facts: Record<string, string | number | null>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, string | number] => entry[1] !== null),
  );
}
