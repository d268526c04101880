import type { Compression, ExportFormat } from './export-request';

/** What a person chooses a target by; the exporter's own table says the rest and is held to this one by a test. */
export interface TargetFacts {
  format: ExportFormat;
  /** Whom it is for: targets of one trainer stand together. */
  trainer: TargetTrainer;
  /** What its loader opens. */
  compressions: readonly Compression[];
  /** Form of a call's arguments: fixed by the loader, or `template` where the model's chat template decides. */
  argumentsForm: 'string' | 'object' | 'template';
}

export const targetTrainers = [
  'slime',
  'chat',
  'trl',
  'llamafactory',
  'verl',
  'agents',
  'rlanything',
  'analysis',
] as const;
export type TargetTrainer = (typeof targetTrainers)[number];

const plain = ['none'] as const;
const packed = ['none', 'gzip', 'zstd'] as const;

export const exportTargets: readonly TargetFacts[] = [
  { format: 'slime', trainer: 'slime', compressions: packed, argumentsForm: 'template' },
  { format: 'openai', trainer: 'chat', compressions: plain, argumentsForm: 'string' },
  { format: 'axolotl', trainer: 'chat', compressions: packed, argumentsForm: 'string' },
  { format: 'ms-swift', trainer: 'chat', compressions: plain, argumentsForm: 'object' },
  { format: 'trl', trainer: 'trl', compressions: packed, argumentsForm: 'template' },
  { format: 'trl-completion', trainer: 'trl', compressions: packed, argumentsForm: 'template' },
  { format: 'dpo', trainer: 'trl', compressions: packed, argumentsForm: 'template' },
  { format: 'rm', trainer: 'trl', compressions: packed, argumentsForm: 'template' },
  { format: 'prm', trainer: 'trl', compressions: packed, argumentsForm: 'string' },
  { format: 'llamafactory-sharegpt', trainer: 'llamafactory', compressions: plain, argumentsForm: 'object' },
  { format: 'llamafactory-openai', trainer: 'llamafactory', compressions: plain, argumentsForm: 'object' },
  { format: 'llamafactory-v1', trainer: 'llamafactory', compressions: plain, argumentsForm: 'object' },
  { format: 'verl-sft', trainer: 'verl', compressions: plain, argumentsForm: 'string' },
  { format: 'verl-rl', trainer: 'verl', compressions: plain, argumentsForm: 'string' },
  { format: 'agenttraj', trainer: 'agents', compressions: plain, argumentsForm: 'object' },
  { format: 'atif', trainer: 'agents', compressions: plain, argumentsForm: 'object' },
  { format: 'rlanything-policy', trainer: 'rlanything', compressions: plain, argumentsForm: 'string' },
  { format: 'rlanything-reward', trainer: 'rlanything', compressions: plain, argumentsForm: 'string' },
  { format: 'steps', trainer: 'analysis', compressions: packed, argumentsForm: 'string' },
  { format: 'steps-parquet', trainer: 'analysis', compressions: plain, argumentsForm: 'string' },
];

export function targetFacts(format: ExportFormat): TargetFacts {
  const found = exportTargets.find((target) => target.format === format);
  if (found === undefined) throw new Error(`No facts of the target ${format}`);
  return found;
}
