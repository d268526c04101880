import { exportFormats } from '@shared/contract/export-request';
import { judgedSteps } from '@shared/judging/batch';
import type { OptionName } from './options';

/*
 * What each command takes. Whether a word is a command's, which options belong to it, and what a shell offers to complete all
 * come from here; `help.ts` explains them, and a test compares the two.
 */

/** Options of every command. */
export const generalOptions = ['workspace', 'trust', 'json', 'help'] as const satisfies readonly OptionName[];

const limits = ['max-steps', 'max-time', 'max-evals', 'max-tokens', 'max-cost', 'max-training-time'] as const;
const endpoint = ['model', 'base-url', 'api-key-env', 'images'] as const;
const judging = ['mode', 'judge', 'rubric', 'steps', 'votes', 'temperature', 'future', 'price'] as const;
const hint = ['when', 'wake', 'category'] as const;
const rules = ['on', 'off', 'set', 'precedence'] as const;
const rows = [
  'run',
  'filter',
  'variant',
  'deduplicate',
  'split',
  'seed',
  'undecided',
  'no-tools',
  'preset',
  'carried',
  'reasoning',
  'arguments',
  'tokenizer',
  'redact',
  'allow',
  'rewards',
  'format',
  'encoding',
  'compress',
] as const;

/** Kinds of words whose values a shell may ask the workspace for. */
export type WordKind = 'run' | 'task' | 'path' | 'computer' | readonly string[];

export interface Command {
  options: readonly OptionName[];
  /** What the words after the command are, in their order; what is not listed is free. */
  words?: readonly WordKind[];
}

const run = ['run'] as const;
const decision = { options: ['reason', 'annotator'], words: ['run'] } as const satisfies Command;

/** By family and verb; a family by itself where no verb follows it. */
export const commands: Readonly<Record<string, Command>> = {
  'task add': { options: [], words: ['path'] },
  'task list': { options: [] },
  'task show': { options: [], words: ['task'] },
  'run start': {
    options: [
      'task',
      'title',
      'computer',
      'approvals',
      'task-hint',
      'human-hints',
      'experiment',
      'arm',
      'group',
      'sample',
      'seed',
      'isolation',
      'show',
      'wait',
      ...endpoint,
      ...limits,
    ],
  },
  'run resume': { options: ['wait', 'all', 'isolation'], words: run },
  'run list': { options: [] },
  'run show': { options: [], words: run },
  'run remove': { options: [], words: run },
  'run purge': { options: [], words: run },
  'run approve': { options: ['kind'], words: run },
  'run refuse': { options: ['reason'], words: run },
  'run pause': { options: ['now'], words: run },
  'run stop': { options: ['now'], words: run },
  'run model': { options: endpoint, words: run },
  'run limits': { options: limits, words: run },
  'step show': { options: ['prompt'], words: run },
  'hint send': { options: hint, words: run },
  'hint list': { options: [], words: run },
  'hint edit': { options: hint, words: run },
  'hint move': { options: [], words: run },
  'hint withdraw': { options: [], words: run },
  'hint verdict': { options: [], words: run },
  'checkpoint make': { options: [], words: run },
  'checkpoint list': { options: [], words: run },
  branch: { options: ['step', 'drop', 'add', 'title', 'endpoint', 'isolation'], words: run },
  'session list': { options: ['run'] },
  'session tail': { options: ['run', 'all', 'raw'] },
  'computer add': { options: ['transport', 'no-test'] },
  'computer list': { options: [] },
  'computer test': { options: ['transport'], words: ['computer'] },
  'computer remove': { options: [], words: ['computer'] },
  label: { options: decision.options, words: ['run', [], ['train', 'mask', 'clear']] },
  'label adjudicate': { options: decision.options, words: ['run', [], ['train', 'mask']] },
  'label correct': { ...decision, options: [...decision.options, 'call', 'arguments', 'thought'] },
  'label undo': { options: ['annotator'], words: run },
  'label judge': { options: [], words: ['run', 'path'] },
  'label export': { options: ['out'] },
  'judge run': { options: ['run', 'max-cost', ...judging, ...endpoint] },
  'judge estimate': { options: ['run', ...judging, ...endpoint] },
  'judge list': { options: [] },
  'judge show': { options: [] },
  'judge stop': { options: [] },
  'judge resume': { options: ['max-cost', 'price', 'model', 'base-url', 'api-key-env'] },
  'judge prompt': { options: ['judge', 'vote'], words: run },
  'judge agreement': { options: ['run', 'truth'] },
  'judge rubric': {
    options: ['task', 'summaries', 'run', 'out', 'judge', 'max-cost', 'price', ...endpoint],
    words: [['show', 'set', 'reset', 'diff', 'try'], 'path'],
  },
  guideline: { options: [] },
  merge: { options: [], words: ['path'] },
  rules: { options: [], words: run },
  'rules list': { options: ['task'] },
  'rules show': { options: ['task'] },
  'rules preview': { options: rules, words: run },
  'rules set': { options: ['task', ...rules] },
  'rules clear': { options: ['task'] },
  stats: { options: ['experiment', 'format'], words: run },
  'experiment list': { options: [] },
  'experiment show': { options: ['format'] },
  'experiment overlap': { options: ['with', 'dataset'] },
  import: { options: ['format', 'title', 'task', 'again'], words: ['path'] },
  queue: { options: ['annotator'], words: run },
  'queue next': { options: ['annotator'], words: run },
  'queue assign': { options: ['run', 'to', 'by', 'overlap', 'blind', 'dry-run'] },
  'queue take-back': { options: [] },
  'queue people': { options: ['run', 'format'] },
  export: { options: [...rows, 'out'] },
  'export preview': { options: rows },
  'export verify': { options: [], words: ['path'] },
  'export list': { options: [] },
  'export findings': { options: rows },
  'export tokens': { options: [...rows, 'segment', 'kind', 'rule'] },
  serve: { options: ['stdio'] },
  verify: { options: ['logs'] },
  rebuild: { options: ['search'], words: run },
  restore: { options: ['to'], words: ['path'] },
  clean: { options: [] },
  demo: { options: ['out'] },
  completion: { options: [], words: [['bash', 'zsh']] },
  version: { options: [] },
};

/** What an option may be set to, where that is fixed. */
export const optionValues: Readonly<Partial<Record<OptionName, readonly string[]>>> = {
  approvals: ['on', 'off', 'task'],
  steps: judgedSteps,
  mode: ['mask', 'reward'],
  future: ['yes', 'no'],
  images: ['on', 'off'],
  'human-hints': ['on', 'off'],
  'task-hint': ['off', 'tool', 'upfront'],
  isolation: ['sandbox', 'none'],
  transport: ['ssh2', 'openssh'],
  precedence: ['union', 'judge_over_rule'],
  by: ['segment', 'run'],
  format: exportFormats,
  variant: ['all', 'rules', 'judge', 'human', 'unmasked', 'ablations'],
  undecided: ['refuse', 'train', 'mask'],
  'no-tools': ['refuse', 'allow'],
  preset: ['default', 'apollo'],
  carried: ['once', 'paper'],
  reasoning: ['as-sent', 'drop', 'keep'],
  arguments: ['auto', 'string', 'object'],
  redact: ['strict', 'names', 'off'],
  rewards: ['outcome', 'step', 'integrated'],
  encoding: ['jsonl', 'parquet'],
  compress: ['none', 'gzip', 'zstd'],
};

/** The command that words name, or null: `run hint` is an earlier name of `hint send`. */
export function commandOf([family = '', verb = '']: readonly string[]): string | null {
  const named = `${family} ${verb}`;
  if (named === 'run hint') return 'hint send';
  if (Object.hasOwn(commands, named)) return named;
  return Object.hasOwn(commands, family) ? family : null;
}
