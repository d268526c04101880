import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportFormat } from '@shared/contract/export-request';
import type { DatasetRow } from '../dataset/rows';
import { agenttrajTarget } from '../dataset/targets/agenttraj';
import { atifTarget } from '../dataset/targets/atif';
import { axolotlTarget } from '../dataset/targets/axolotl';
import { llamafactoryOpenaiTarget } from '../dataset/targets/llamafactory-openai';
import { llamafactorySharegptTarget } from '../dataset/targets/llamafactory-sharegpt';
import { llamafactoryV1Target } from '../dataset/targets/llamafactory-v1';
import { msSwiftTarget } from '../dataset/targets/ms-swift';
import { openaiTarget } from '../dataset/targets/openai';
import type { DataFile, Target, TargetDrop, TargetFacts, TargetRecord } from '../dataset/targets/target';
import { trlTarget } from '../dataset/targets/trl';
import { trlCompletionTarget } from '../dataset/targets/trl-completion';
import type { NastyRows } from './nasty-rows';

/** How a target treats what not every loader takes. `row`: the whole row is left out; `rest`: its steps from there on. */
export interface TargetCase {
  target: Target;
  /** Of the folder `loaders`. */
  checker: string;
  images: 'keep' | 'row' | 'rest';
  brokenArguments: 'keep' | 'row' | 'rest';
  /** One record a trained step. */
  expands: boolean;
  /** Reasoning stands in the text, its line breaks at the seams as templates write them. */
  thinks: boolean;
}

const whole = { images: 'row', brokenArguments: 'row', expands: false, thinks: false } as const;
const expanded = { images: 'rest', brokenArguments: 'rest', expands: true } as const;

export const chatTargets: readonly TargetCase[] = [
  { target: openaiTarget, checker: 'openai.py', ...whole, images: 'keep', brokenArguments: 'keep' },
  { target: axolotlTarget, checker: 'axolotl.py', ...whole },
  { target: msSwiftTarget, checker: 'ms-swift.py', ...whole, images: 'keep', thinks: true },
  { target: trlTarget, checker: 'trl.py', ...whole },
  { target: trlCompletionTarget, checker: 'trl.py', ...expanded, thinks: false },
  { target: llamafactorySharegptTarget, checker: 'llamafactory.py', ...expanded, thinks: true },
  { target: llamafactoryOpenaiTarget, checker: 'llamafactory.py', ...expanded, thinks: true },
  { target: llamafactoryV1Target, checker: 'llamafactory-v1.py', ...whole, images: 'keep' },
  { target: agenttrajTarget, checker: 'agenttraj.py', ...whole, thinks: true },
  { target: atifTarget, checker: 'atif.py', ...whole, images: 'keep' },
];

export interface Made {
  /** In order, by row. */
  records: TargetRecord[][];
  dropped: TargetDrop[];
}

/** Arguments as objects, as the templates of most models want them. */
export async function makeRecords(
  target: Target,
  { plan, reader }: Pick<NastyRows, 'plan' | 'reader'>,
  rows: readonly DatasetRow[],
  form: 'string' | 'object' = 'object',
): Promise<Made> {
  const argumentsForm = target.argumentsForm === 'template' ? form : target.argumentsForm;
  const maker = await target.begin({ plan, reader, variant: 'all', argumentsForm });
  const records = rows.map((row) => [...maker.records(row)]);
  return { records, dropped: maker.dropped() };
}

export function factsOf(target: Target, { plan }: Pick<NastyRows, 'plan'>, made: Made): TargetFacts {
  const file: DataFile = {
    path: `train.${target.encodings[0] === 'array' ? 'json' : 'jsonl'}`,
    variant: 'all',
    split: 'train',
    records: made.records.flat().length,
  };
  return { plan, files: [file], argumentsForm: 'object', compression: 'none', dropped: made.dropped };
}

export interface Loaded {
  records: number;
  trained: { text: string; reasoning: string; calls: [string, unknown][] }[][];
  problems: string[];
}

/** The target's files in a folder, read by the independent checker of its loader. */
export function load(
  { target, checker }: Pick<TargetCase, 'target' | 'checker'>,
  folder: string,
  { facts, records }: { facts: TargetFacts; records: readonly TargetRecord[] },
): Loaded {
  mkdirSync(folder, { recursive: true });
  const lines = records.map(({ value }) => JSON.stringify(value));
  const [encoding] = target.encodings;
  const path = join(folder, facts.files[0]?.path ?? '');
  if (encoding === 'jsonl') writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  else if (encoding === 'array') writeFileSync(path, `[${lines.join(',\n')}]\n`);
  else
    for (const [at, { name }] of records.entries()) writeFileSync(join(folder, name ?? ''), lines[at] ?? '');
  for (const { path: extra, text } of target.extras?.(facts) ?? []) writeFileSync(join(folder, extra), text);
  const named: Partial<Record<ExportFormat, string[]>> = {
    'llamafactory-sharegpt': [folder, 'waymark_train'],
    'llamafactory-openai': [folder, 'waymark_train'],
    atif: [folder],
  };
  const script = join(import.meta.dirname, 'loaders', checker);
  const run = spawnSync('python3', [script, ...(named[target.format] ?? [path])], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (run.stdout === '') throw new Error(`${checker} failed: ${run.stderr}`);
  return JSON.parse(run.stdout) as Loaded;
}
