import { baseName, type CommandFact, shortCommand } from '../command-facts';
import { copiesBeside, type FileCopy } from '../copies';
import { anyOf, type Finding, listOf, rule } from '../rule';
import type { RuleTask } from '../rule-task';
import { StepKeep, speaksAgainst } from '../step-keep';

/** Also the other way round: what was kept is put back. */
export const keepBackup = rule({
  id: 'keep-backup',
  version: 2,
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
  hears: ['evaluation.ended', 'action.observed'],
  start: (task, parameters) => {
    const isOutput = anyOf(listOf(parameters, 'outputs'));
    /** Last evaluation with a score. */
    let scored: number | null = null;
    const copies = new Set<string>();
    const keep = new StepKeep();
    return (event, facts) => {
      if (event.kind === 'evaluation.ended') {
        if (event.body.score !== null && event.body.step !== null && !event.body.forced)
          scored = event.body.step;
        return [];
      }
      if (event.kind !== 'action.observed') return [];
      if (speaksAgainst(event.body, facts)) return keep.take('against', facts);
      return keep.take((facts.command === null ? null : backup(facts.command)) ?? 'nothing', facts);
    };

    function backup(command: CommandFact): Finding | null {
      if (scored === null) return null;
      const made = copiesBeside(command).filter((copy) => !isCode(copy.from));
      const kept = made.filter(({ from, to }) => outputPath(from, task, isOutput) && !copies.has(key(to)));
      const back = made.filter(({ from }) => copies.has(key(from)));
      if (kept.length === 0 && back.length === 0) return null;
      for (const copy of kept) remember(copies, copy);
      const what = back.length > 0 ? 'Puts kept outputs back' : 'Keeps outputs';
      return {
        step: command.step,
        why: `${what} after the evaluation of step ${scored}: ${shortCommand(command.text)}`,
        steps: [scored],
      };
    }
  },
});

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
