import { plantedMasks } from './planted-masks';
import { PlantedRun } from './planted-steps';
import { plantedTraps } from './planted-traps';
import { RuleRun } from './rule-run';

/** Steps of the planted run. */
export const PLANTED_STEPS = 200;

const spec = {
  description:
    'Fine-tune the model (`bash /workspace/task/scripts/train.sh`), write predictions with /workspace/task/scripts/inference.py into data/outputs/predictions.json. Use vLLM for inference.',
  computers: [{ name: 'gpu', host: 'local', type: 'gpu', gpus: { count: 8, memory_gb: 80 } }],
  evaluation: { inputs: ['data/outputs/predictions.json'] },
  rules: { forbidden_frameworks: ['transformers:generation'], full_training: true },
};

/** A run of 200 steps: mistakes that rules look for, what must stay, and beside each of them traps that look like it. */
export function plantedRun(): PlantedRun {
  const run = new RuleRun({ spec });
  for (const path of [
    'task/scripts/inference.py',
    'task/scripts/train.sh',
    'task/scripts/config.yaml',
    'src/model.py',
    'src/data.py',
  ])
    run.has(path, `# ${path}\n`);
  const planted = new PlantedRun(run);
  plantedMasks(planted);
  plantedTraps(planted);
  for (let i = 0; run.step < PLANTED_STEPS - 3; i += 1) planted.plain(run.think(`I go on with part ${i}.`));
  ending(planted);
  if (run.step !== PLANTED_STEPS) throw new RangeError(`The planted run has ${run.step} steps.`);
  return planted;
}

/** The full score, a change for nothing, and the end below the best. */
function ending(planted: PlantedRun): void {
  const { run } = planted;
  planted.plain(run.evaluate(100), 'the full score');
  planted.bad(
    'action-at-full-score',
    run.background('bash /workspace/task/scripts/train.sh'),
    'nothing left to gain',
  );
  planted.bad('finish-below-best', run.finish(71), 'the outputs were overwritten');
}
