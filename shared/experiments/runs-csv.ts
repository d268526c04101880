import { csvText } from '../base/csv-text';
import type { ExperimentRun } from './experiment-run';
import { measured } from './summary';

type Cell = string | number | boolean | null;

const columns: [string, (run: ExperimentRun) => Cell][] = [
  ['run', ({ run }) => run],
  ['title', ({ title }) => title],
  ['arm', ({ arm }) => arm],
  ['task', ({ task }) => task.id],
  ['domain', ({ task }) => task.domain],
  ['model', ({ model }) => model],
  ['task_hint', ({ taskHint }) => taskHint],
  ['human_hints', ({ humanHints }) => humanHints],
  ['group', ({ group }) => group],
  ['sample', ({ sample }) => sample],
  ['seed', ({ seed }) => seed],
  ['branch', ({ branch }) => branch],
  ['status', ({ status }) => status],
  ['final_score', (run) => measured(run, 'final')],
  ['best_score', (run) => measured(run, 'best')],
  ['hours_to_best', (run) => measured(run, 'timeToBest')],
  ['hours', (run) => measured(run, 'hours')],
  ['cost', (run) => measured(run, 'cost')],
  ['steps', ({ steps }) => steps],
  ['hints', ({ hints }) => hints.length],
  ['hint_words', ({ hintWords }) => hintWords],
  ['looks', ({ looks }) => looks.n],
  ['watch_minutes', ({ looks }) => looks.ms / 60_000],
  ['review_minutes', ({ review }) => (review === null ? null : review.ms / 60_000)],
  ['labels', ({ review }) => review?.labels ?? null],
];

/** The runs of an experiment as RFC 4180 CSV with a head line; what is not known is empty. */
export function runsCsv(runs: readonly ExperimentRun[]): string {
  const lines = runs.map((run) => columns.map(([, of]) => cell(of(run))).join(','));
  return `${[columns.map(([name]) => name).join(','), ...lines].join('\n')}\n`;
}

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(Math.round(value * 1e6) / 1e6);
  // Names and titles are other people's words.
  return typeof value === 'string' ? csvText(value) : String(value);
}
