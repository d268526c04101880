import { WaymarkError } from '@shared/contract/errors';
import type { ExportFormat } from '@shared/contract/export-request';
import { type StepRecord, stepRecords } from '../learning/step-records';
import { type RowPlan, variantPlan } from '../plan';
import { dropLines } from './drop-lines';
import { type Field, layout, number, text } from './parquet-columns';
import { clean } from './plain-message';
import type { RecordMaker, Target, TargetContext, TargetFacts } from './target';

/** What a field of a step is in a table, in the order of the columns. Every field of `StepRecord` is here, or it does not compile. */
const columns: Readonly<Record<keyof StepRecord, 'text' | 'json' | 'INT32' | 'DOUBLE' | 'BOOLEAN'>> = {
  run: 'text',
  step: 'INT32',
  id: 'text',
  segment: 'INT32',
  kind: 'text',
  task: 'text',
  task_hash: 'text',
  domain: 'text',
  experiment: 'text',
  arm: 'text',
  group: 'text',
  sample: 'DOUBLE',
  seed: 'DOUBLE',
  model: 'text',
  at: 'DOUBLE',
  text: 'text',
  reasoning: 'text',
  action: 'text',
  arguments: 'text',
  observation: 'text',
  calls: 'json',
  hints: 'json',
  label: 'text',
  mask: 'INT32',
  source: 'text',
  reason: 'text',
  given_reason: 'text',
  disagreement: 'BOOLEAN',
  votes: 'json',
  rewards: 'json',
  corrections: 'json',
  best_score: 'DOUBLE',
  last_score: 'DOUBLE',
  final_score: 'DOUBLE',
  input_tokens: 'DOUBLE',
  output_tokens: 'DOUBLE',
  cached_tokens: 'DOUBLE',
  reasoning_tokens: 'DOUBLE',
  cost: 'DOUBLE',
  duration_ms: 'DOUBLE',
};
const names = Object.keys(columns) as (keyof StepRecord)[];

const shared = {
  kinds: ['react', 'summary'],
  untrained: 'keep',
  argumentsForm: 'string',
  repeats: 'never',
  undecided: 'ignored',
  recordsOf: ({ steps }: RowPlan) => steps.length,
} as const satisfies Partial<Target>;

/** One JSON object a step, for analysis: what was done, what came of it, who says what of it, and what it cost. */
export const steps: Target = {
  ...shared,
  format: 'steps',
  title: 'Steps for analysis, JSON lines',
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  begin: (context) => maker(context, (record) => record as unknown as Record<string, unknown>),
  readme: (facts) => `\`\`\`python
import pandas
steps = pandas.read_json("${fileOf(facts, 'steps')}", lines=True)
steps.groupby("action")["mask"].mean()
\`\`\`

- Every line has every field; what is unknown is \`null\`.
- Read \`run\`, \`id\` and \`arm\` as text: pandas guesses types (\`dtype={"run": str, "id": str, "arm": str}\`).
${fieldNotes}
${dropLines(facts.dropped)}`,
  problems: (value) =>
    names.flatMap((name) => {
      if (!(name in value)) return [`${name} is missing`];
      return value[name] === undefined ? [`${name} is undefined`] : [];
    }),
};

/** The same as a flat table: lists as JSON text, no nulls. */
export const stepsParquet: Target = {
  ...shared,
  format: 'steps-parquet',
  title: 'Steps for analysis, Parquet',
  encodings: ['parquet'],
  compressions: ['none'],
  parquet: layout(names.map(columnOf)),
  begin: (context) => maker(context, flat),
  readme: (facts) => `\`\`\`python
import pandas
steps = pandas.read_parquet("${fileOf(facts, 'steps-parquet')}")
steps.groupby("action")["mask"].mean()
\`\`\`

- No column holds a null. What is unknown is \`''\` in a text and \`NaN\` in a number: pandas leaves \`NaN\` out of a mean, DuckDB does not
  (\`nullif(cost, 'NaN')\`).
- \`calls\`, \`hints\`, \`votes\`, \`rewards\` and \`corrections\` are JSON text.
${fieldNotes}
${dropLines(facts.dropped)}`,
  problems: (value) =>
    names.flatMap((name) => {
      const kind = columns[name];
      const held = value[name];
      const fits =
        kind === 'text' || kind === 'json'
          ? typeof held === 'string'
          : kind === 'BOOLEAN'
            ? typeof held === 'boolean'
            : kind === 'INT32'
              ? Number.isInteger(held) && Math.abs(held as number) < 2 ** 31
              : typeof held === 'number';
      return fits ? [] : [`${name} is not ${kind}`];
    }),
};

function columnOf(name: keyof StepRecord): Field {
  const kind = columns[name];
  return kind === 'text' || kind === 'json' ? text(name) : number(name, kind);
}

function flat(record: StepRecord): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => {
      const value = record[name];
      const kind = columns[name];
      if (kind === 'json') return [name, JSON.stringify(value)];
      return [name, value ?? (kind === 'text' ? '' : Number.NaN)];
    }),
  );
}

/** Rows only say which steps there are: what the steps hold is read from the log, where nothing is shortened. */
function maker(
  { plan, variant, reader, signal }: TargetContext,
  inForm: (record: StepRecord) => Record<string, unknown>,
): RecordMaker {
  let rows: RowPlan[] = [];
  return {
    records({ plan }) {
      rows.push(plan);
      return [];
    },
    async *rest() {
      let count = 0;
      for await (const { row, record } of stepRecords(reader, rows, signal)) {
        count += 1;
        yield { value: inForm(clean(record)), trained: 0, of: row, steps: [record.step] };
      }
      const planned = rows.reduce((sum, { steps }) => sum + steps.length, 0);
      if (count !== planned) {
        throw new WaymarkError('bug', `The log holds ${count} of the ${planned} steps of the plan`);
      }
    },
    dropped: () => [],
    save: () => rows.map(keyOf),
    restore(saved) {
      const wanted = new Set(saved as string[]);
      rows = variantPlan(plan, variant).rows.filter((row) => wanted.has(keyOf(row)));
    },
  };
}

const keyOf = ({ run, kind, segment }: RowPlan) => `${run.created.run} ${segment.fromSeq} ${kind}`;

function fileOf({ files }: TargetFacts, format: ExportFormat): string {
  const end = format === 'steps' ? 'jsonl' : 'parquet';
  return files.find(({ split }) => split === 'train')?.path ?? `train.${end}`;
}

const fieldNotes = `
## Fields

| field | meaning |
|---|---|
| \`run\`, \`step\`, \`id\`, \`segment\` | the run, the step's number in it, its global id, and the segment in which it was sampled |
| \`kind\` | \`act\`, \`think\`, \`null\` (no call that could be understood) or \`summary\` |
| \`task\`, \`task_hash\`, \`domain\`, \`experiment\`, \`arm\`, \`group\`, \`sample\`, \`seed\`, \`model\` | what the run was made for and with |
| \`at\`, \`duration_ms\` | when the model had answered (ms since 1970), and how long that took |
| \`text\`, \`reasoning\` | what the model said |
| \`action\`, \`arguments\` | its first call that could be understood, the arguments byte for byte as the model wrote them |
| \`calls\` | all of them, each with its observation, whether it succeeded, and its error |
| \`observation\` | everything that came of the step, whole: a row of a training set may hold it shortened |
| \`hints\` | what people told the agent right after the step |
| \`label\`, \`source\`, \`reason\`, \`given_reason\`, \`disagreement\` | what holds for the step, who decided, and why |
| \`mask\` | 1: it trains in this variant, waivers included |
| \`votes\` | standing verdicts of judges: \`keep\` is 1, \`mask\` is -1, a reason of \`unparsable\` is 0 |
| \`rewards\` | votes of judges on whether the step is good, each with its number and text; 0 could not be understood |
| \`corrections\` | what people say the step should have been |
| \`best_score\`, \`last_score\` | of the run's evaluations so far, once the step was over |
| \`final_score\` | of the run: its forced evaluation, otherwise its last one |
| \`input_tokens\`, \`output_tokens\`, \`cached_tokens\`, \`reasoning_tokens\`, \`cost\` | as the endpoint reported them, and what they cost by the price table |`;
