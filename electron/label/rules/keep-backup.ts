import { baseName, shortCommand } from '../command-facts';
import { copiesOf, type FileCopy } from '../copies';
import { anyOf, listOf, type Rule } from '../rule';
import type { RuleTask } from '../rule-task';

/** Also the other way round: what was kept is put back. */
export const keepBackup: Rule = {
  id: 'keep-backup',
  version: 1,
  effect: 'keep',
  hard: false,
  on: true,
  text: 'Outputs are copied elsewhere after an evaluation, or kept ones are put back.',
  citation:
    'APOLLO appendix E, essential to keep: "Backup the output files to other place with its corprosing score after evaluation"',
  /** Expressions for output paths where the task does not say what is evaluated. */
  parameters: {
    outputs: ['output', 'prediction', 'result', 'submission', 'answer', 'checkpoint', '\\bbest\\b'],
  },
  start: (task, parameters) => {
    const isOutput = anyOf(listOf(parameters, 'outputs'));
    /** Last evaluation with a score. */
    let scored: number | null = null;
    const copies = new Set<string>();
    return (event, { command, alone }) => {
      if (event.kind === 'evaluation.ended') {
        if (event.body.score !== null && event.body.step !== null && !event.body.forced)
          scored = event.body.step;
        return [];
      }
      if (!alone || command === null || scored === null || event.kind !== 'action.observed') return [];
      if (
        event.body.error !== null ||
        (typeof event.body.data.exitCode === 'number' && event.body.data.exitCode !== 0)
      )
        return [];
      const made = (copiesOf(command) ?? []).filter((copy) => !isCode(copy.from));
      const kept = made.filter(({ from, to }) => outputPath(from, task, isOutput) && !copies.has(key(to)));
      const back = made.filter(({ from }) => copies.has(key(from)));
      if (kept.length === 0 && back.length === 0) return [];
      for (const copy of kept) remember(copies, copy);
      const what = back.length > 0 ? 'Puts kept outputs back' : 'Keeps outputs';
      return [
        {
          step: command.step,
          why: `${what} after the evaluation of step ${scored}: ${shortCommand(command.text)}`,
          steps: [scored],
        },
      ];
    };
  },
};

function outputPath(path: string, task: RuleTask, isOutput: (text: string) => boolean): boolean {
  return task.knowsInputs ? task.evaluated(path) || isOutput(path) : isOutput(path);
}

/** The copy, by where it lies; a folder keeps the name of what went into it. */
function remember(copies: Set<string>, { from, to }: FileCopy): void {
  if (copies.size > 1_000) copies.clear();
  copies.add(key(to));
  copies.add(key(`${to.replace(/\/+$/, '')}/${baseName(from)}`));
}

const key = (path: string) => path.replace(/\/+$/, '').replace(/^\.\//, '');

function isCode(path: string): boolean {
  return /\.(?:py|sh|bash|ipynb|ya?ml|toml|cfg|ini)$/.test(path);
}
