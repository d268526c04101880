import type { GivenUp, IndexProgress, SearchField, SearchProblem } from '@shared/contract/search/views';
import { plural } from './common';

const fields: Record<SearchField, string> = {
  thought: 'thought',
  arguments: 'arguments',
  observation: 'observation',
  hint: 'hint',
  file: 'file',
};
const number = (n: number) => n.toLocaleString('en-US');

export const search = {
  run: 'Search this run',
  workspace: 'Search all runs',
  nothing: 'Search',
  place: (at: number, total: number) => `${number(at)} of ${number(total)}`,
  none: 'no match',
  next: 'Next match',
  previous: 'Previous match',
  clear: 'Clear the search',
  stop: 'Stop searching',
  results: 'Search results',
  scope: 'Where to search',
  scopeRun: 'This run',
  scopeAll: 'All runs',
  total: (n: number) => (n === 1 ? '1 step' : `${number(n)} steps`),
  lines: (n: number) => (n === 1 ? '1 line of a terminal' : `${number(n)} lines of terminals`),
  atLeast: (n: number) => `${number(n)} so far`,
  field: (field: SearchField) => fields[field],
  segment: (n: number) => `Segment ${n}`,
  terminals: 'Terminals',
  moreOfRun: (n: number) => (n === 1 ? '1 more in this run' : `${number(n)} more in this run`),
  moreRuns: (n: number) => (n === 1 ? 'One more run has matches.' : `${number(n)} more runs have matches.`),
  tooMany: (n: number) => `The first ${number(n)} are listed; all are counted.`,
  scannedSteps: (n: number, of: number) => `searched ${number(n)} of ${plural(of, 'step')}`,
  scannedBytes: (done: string, of: string) => `terminals ${done} of ${of}`,
  stopped: 'stopped',
  progress: ({ steps, behind }: IndexProgress) =>
    `Indexing ${Math.floor(steps === 0 ? 0 : ((steps - behind) / steps) * 100)} %, ${number(behind)} ${behind === 1 ? 'step' : 'steps'} to go`,
  behind: (n: number) => (n === 1 ? '1 step is not indexed yet.' : `${number(n)} steps are not indexed yet.`),
  emptyTitle: 'No match',
  emptyText: 'Thoughts, arguments, observations, hints, files and terminals were searched.',
  hiddenTitle: (n: number) =>
    n === 1 ? 'The filter hides 1 match' : `The filter hides ${number(n)} matches`,
  hiddenBy: (filters: string) => `Filtered by ${filters}.`,
  hidden: (n: number) =>
    n === 1 ? '1 more is hidden by the filter' : `${number(n)} more are hidden by the filter`,
  showAll: 'Show all steps',
  searchAll: 'Search all runs',
  recent: 'Recent searches',
  help: 'Words, "a phrase", begin*, -without, thought: args: obs: hint: file:, /pattern/i',
  problem: (problem: SearchProblem): string => {
    switch (problem.code) {
      case 'too_short':
        return `One letter (${problem.word}) is too short to search for. Type one more, or put it in quotes to find it as a word.`;
      case 'no_word':
        return 'Type a letter or digit to search for. To find symbols, type a pattern: /==/';
      case 'only_excluded':
        return 'A minus only excludes matches. Add a word that must occur.';
      case 'bad_pattern':
        return problem.at === null
          ? `This pattern is not valid: ${problem.message}.`
          : `This pattern is not valid at character ${problem.at + 1}: ${problem.message}.`;
      case 'bad_flag':
        return `The flag ${problem.flag} is unknown or repeated. Use i, m, s or u.`;
    }
  },
  givenUp: ({ why, pattern, step }: GivenUp) =>
    why === 'whole'
      ? `/${pattern}/ was stopped: it took longer than three minutes. Make it more specific.`
      : `/${pattern}/ was stopped: ${step === null ? 'one line of a terminal' : `step ${number(step)}`} alone took longer than two seconds. Avoid repeats inside a repeat.`,
  go: (step: number) => `Go to step ${step}`,
  announce: (total: string) => `Search: ${total}.`,
};
