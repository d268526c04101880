import { z } from 'zod';
import type { CatalogueRow } from './ipc/application';

/** Research domains of InnovatorBench (§1) and of APOLLO's training tasks (§4). */
export const catalogueDomains = [
  'Data Construction',
  'Data Filtering',
  'Data Augmentation',
  'Loss Design',
  'Reward Design',
  'Scaffold Construction',
] as const;

/**
 * Facts about one published task, in our words. Only what the papers state; null where they say nothing.
 * Sources: InnovatorBench (arXiv 2510.27598) table 4 and §5, APOLLO (arXiv 2510.27630) appendix A table 3.
 */
export const catalogueEntrySchema = z.strictObject({
  number: z.int().positive(),
  title: z.string().min(1),
  domain: z.enum(catalogueDomains),
  /** The paper whose result the task stems from. */
  background: z.string().min(1),
  model: z.string().nullable(),
  data: z.string().nullable(),
  metric: z.string().nullable(),
  constraints: z.array(z.string().min(1)),
  hours: z.number().positive(),
  /** Of each machine; null = none. The paper's servers have eight GPUs each (InnovatorBench §5.1). */
  gpus: z
    .strictObject({
      count: z.int().positive(),
      memory_gb: z.number().positive(),
      machines: z.int().positive().default(1),
    })
    .nullable(),
  /** The agent may use the web; null where the paper does not say. */
  web: z.boolean().nullable(),
  summary: z.string().min(1),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

export const catalogueFileSchema = z.strictObject({
  paper: z.enum(['InnovatorBench', 'APOLLO']),
  source: z.string(),
  tasks: z.array(catalogueEntrySchema),
});
export type CatalogueFile = z.infer<typeof catalogueFileSchema>;

/** Key of an entry, such as `innovatorbench-14`; also the id of a task made from it. */
export function catalogueKey(paper: CatalogueFile['paper'], number: number): string {
  return `${paper.toLowerCase()}-${String(number).padStart(2, '0')}`;
}

/** The rows that the window lists. */
export function rowsOf(file: CatalogueFile): CatalogueRow[] {
  return file.tasks.map((task) => ({
    key: catalogueKey(file.paper, task.number),
    paper: file.paper,
    number: task.number,
    title: task.title,
    domain: task.domain,
    model: task.model,
    hours: task.hours,
    gpus: task.gpus === null ? null : gpuFacts(task.gpus),
    web: task.web,
    constraints: task.constraints,
    summary: task.summary,
  }));
}

/** `8 × 80 GB`, `2 × 8 × 80 GB`. */
function gpuFacts({ machines, count, memory_gb }: NonNullable<CatalogueEntry['gpus']>): string {
  return `${machines === 1 ? '' : `${machines} × `}${count} × ${memory_gb} GB`;
}

/** A skeleton package: paths inside the package → text. It loads as it is; what only the author knows is marked "Fill in". */
export function taskFromCatalogue(
  paper: CatalogueFile['paper'],
  task: CatalogueEntry,
): { id: string; files: Record<string, string> } {
  const id = catalogueKey(paper, task.number);
  return {
    id,
    files: {
      'task.yaml': taskYaml(id, paper, task),
      'task_description.md': description(task),
      'hint.md':
        'Fill in: what would help an agent that is stuck. Shown only when task_hint.mode is not off.\n',
      'evaluation/evaluate.sh': evaluator,
      'task/README.md':
        'Fill in: the code the agent starts from. This folder becomes task/ in the workspace.\n',
      'data/README.md': 'Fill in: datasets and checkpoints. This folder becomes data/ in the workspace.\n',
    },
  };
}

/** A JSON string is a YAML string as well. */
const quoted = (text: string) => JSON.stringify(text);

function taskYaml(id: string, paper: CatalogueFile['paper'], task: CatalogueEntry): string {
  const { gpus } = task;
  const gpuLines =
    gpus === null
      ? []
      : Array.from({ length: gpus.machines }, (_, at) => at + 1).flatMap((number) => [
          `  - name: gpu${gpus.machines === 1 ? '' : `-${number}`}`,
          `    host: gpu-host${gpus.machines === 1 ? '' : `-${number}`} # Fill in: an alias of your ssh configuration`,
          '    type: gpu',
          '    internet: false',
          `    gpus: { count: ${gpus.count}, memory_gb: ${gpus.memory_gb} }`,
          '    dedicated: true',
        ]);
  return `${[
    `# Begun from the catalogue: ${paper} ${task.number}. docs/task-package.md describes every field.`,
    `id: ${id}`,
    `title: ${quoted(task.title)}`,
    `domain: ${quoted(task.domain)}`,
    'paper:',
    `  title: ${quoted(task.background)}`,
    `  benchmark: ${quoted(`${paper} ${task.number}`)}`,
    ...(task.constraints.length > 0
      ? ['constraints:', ...task.constraints.map((text) => `  - ${quoted(text)}`)]
      : ['constraints: []']),
    'computers:',
    '  - name: local',
    '    host: local',
    '    type: localhost_cpu',
    `    internet: ${task.web === true}`,
    ...gpuLines,
    ...(task.web === true ? noWebActions : []),
    'limits:',
    '  max_steps: 4000',
    `  max_working_time: ${task.hours}h`,
    '  max_eval_num: 3',
    'evaluation:',
    '  command: sh "$WAYMARK_EVALUATOR/evaluate.sh"',
    '  inputs: [data/outputs/**]',
    '  timeout: 30m',
    '  # Fill in, then take the comment signs away: what the baseline and the reference solution reach.',
    '  # score: { baseline: 0.0, reference: 1.0, direction: higher }',
    'task_hint:',
    '  mode: off',
  ].join('\n')}\n`;
}

/** Until there are web actions, a package that asked for them could not be started. */
const noWebActions = [
  '# This task may use the web. Waymark has no web actions yet: until it has, the agent reaches the web by commands',
  '# on the computers above with internet: true. Later: list the tools, with web_search and web_browse among them.',
];

function gpuWords({ machines, count, memory_gb }: NonNullable<CatalogueEntry['gpus']>): string {
  const each = `${count} ${count === 1 ? 'GPU' : 'GPUs'} with ${memory_gb} GB each`;
  return machines === 1 ? each : `${machines} machines, each with ${each}`;
}

function description(task: CatalogueEntry): string {
  const gpus = task.gpus === null ? 'no GPU' : gpuWords(task.gpus);
  return `## Motivation

Fill in: why this question matters. Background: ${task.background}.

## Task

${task.summary}

## Data

${task.data ?? 'Fill in: datasets and checkpoints, their paths and formats.'}${task.model === null ? '' : `\n\nModel: ${task.model}.`}

## Constraints

- Working time: ${task.hours} hours; ${gpus}.
${task.constraints.map((text) => `- ${text}`).join('\n')}

## Evaluation

${task.metric ?? 'Fill in: the metric and how it is scored.'}

## Environment

Fill in: how the environment is activated.
`;
}

const evaluator = `#!/bin/sh
# Reads the agent's outputs below $WAYMARK_INPUTS and writes {"score": number, "message": text} to $WAYMARK_RESULT.
# Fill in: this one gives no score yet.
echo 'The evaluator of this task is not written yet.' >&2
exit 1
`;
