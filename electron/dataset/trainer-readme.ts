import { datasetCard } from './dataset-card';
import { countLines, countMasks, type ExportPlan, type VariantPlan, variantPlan } from './plan';
import { filterName } from './plan-filters';
import type { Target, TargetFacts } from './targets/target';

/**
 * `README.md`: the card that `load_dataset(dir)` reads, what is in the dataset, and below `## Load` what the target says of its
 * loader. It names no path outside the folder and no time.
 */
export function trainerReadme(
  target: Pick<Target, 'title' | 'format' | 'readme' | 'repeats' | 'undecided' | 'untrained'>,
  facts: TargetFacts,
): string {
  const { plan, files } = facts;
  const { options } = plan;
  const first = variantPlan(plan);
  const { trained, masked } = countMasks(first.rows);
  const only = files.length === 1 ? files[0] : undefined;
  const records = plan.variants.length > 1 || only === undefined ? sumOf(files) : only.records;
  const where = only === undefined ? `${files.length} files` : `\`${only.path}\``;
  return `${datasetCard(target, facts)}
# Agent trajectories for ${target.title}

${counted(records, 'record')} in ${where}, ${counted(trained, 'step')} trained, ${masked} masked${plan.variants.length > 1 ? ` (variant \`${first.variant}\`)` : ''}. Label snapshot \`${plan.snapshot}\`.
\`manifest.json\` says what the records were made from, what was left out and why, and holds the sha256 of every file. Hugging Face's \`load_dataset(dir)\` finds the files by the lines above.

## Load

${target.readme(facts).trimEnd()}

## What is in it

${plan.variants.length > 1 ? `${variantTable(plan)}\n` : ''}${whereTrained(target, plan)}
${untrained(first)}- ${waiverLine(plan, target)}
${splitLine(plan)}${filterLine(plan)}${repeatLine(target, plan)}- Redaction: \`${options.redact}\` was asked for; \`manifest.json\` says under \`redaction\` what was done.
`;
}

const sumOf = (files: TargetFacts['files']) => files.reduce((sum, { records }) => sum + records, 0);

const counted = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

function variantTable({ variants, repeat }: ExportPlan): string {
  const rows = variants.map((each) => {
    const { trained, masked } = countMasks(each.rows);
    return `| \`${each.variant}\` | ${whose[each.variant]} | ${countLines(each.rows, repeat)} | ${trained} | ${masked} |`;
  });
  return `All variants were made from the same labels; they differ in whose opinions make the masks. A variant is a configuration:
\`load_dataset(dir, "${variants.at(-1)?.variant}")\`.

| variant | whose opinions | rows | steps trained | masked |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

const whose: Readonly<Record<VariantPlan['variant'], string>> = {
  all: "everybody's, as labels combine",
  rules: "the rules' (hard masks are theirs); every other step trains",
  judge: "the judges'; every other step trains",
  human: "people's; every other step trains, also where they differ",
  unmasked: 'no opinions: every step trains',
};

/** Where a format keeps rows without a trained step, labels are told or left aside, and do not choose what has loss. */
function whereTrained(target: Pick<Target, 'untrained'>, { preset }: ExportPlan): string {
  if (target.untrained === 'keep')
    return '- The counts of trained and masked steps are those of the labels. What of a record trains is said under Load; rows of which no step is trained are in it too.';
  const carried =
    preset.carried === 'paper'
      ? ', and in rows that carry it on (`carried: paper`)'
      : '; wherever else it stands it is context without loss';
  return `- A step trains in the one row of the segment it was sampled in${carried}.`;
}

function untrained({ dropped }: VariantPlan): string {
  return dropped.some(({ reason }) => reason === 'nothing_trained')
    ? '- Rows without a trained step are left out; the manifest counts them.\n'
    : '';
}

function waiverLine({ options, undecided, variants }: ExportPlan, target: Pick<Target, 'undecided'>): string {
  if (target.undecided === 'ignored')
    return 'Labels that steps do not have do not matter to this format, so undecided steps did not stop the export.';
  const steps = undecided.reduce((sum, run) => sum + run.steps.length, 0);
  if (!variants.some(({ variant }) => variant === 'all'))
    return 'Steps that nobody decided train, because only the named opinions count.';
  if (options.undecided === 'refuse' || steps === 0)
    return 'Every step was decided by a person, a rule or a judge; nothing was waived.';
  const what = options.undecided === 'train' ? 'trained' : 'masked';
  return `${counted(steps, 'undecided step')} ${steps === 1 ? 'was' : 'were'} waived by name and ${steps === 1 ? 'is' : 'are'} ${what} (\`--undecided ${options.undecided}\`); the manifest lists them.`;
}

function splitLine({ split }: ExportPlan): string {
  if (split === null) return '';
  const { train, validation, seed, share } = split;
  return `- Split by task with seed ${seed}: ${counted(train.length, 'task')} for training, ${counted(validation.length, 'task')} for validation (share ${share}). All rows of a task, and of a run and its branches, are on one side; the manifest names the tasks.\n`;
}

function filterLine({ options, filtered, duplicates }: ExportPlan): string {
  const names = Object.keys(options.filter);
  const lines: string[] = [];
  if (names.length > 0) {
    const removed = filtered.map(({ by, rows }) => `${filterName(by)}: ${rows}`);
    lines.push(
      `- Filtered by ${names.map(filterName).join(', ')}${removed.length === 0 ? '' : ` (rows left out by ${removed.join(', ')})`}; the manifest holds the values.\n`,
    );
  }
  if (options.deduplicate) {
    lines.push(
      `- Of the runs of one task and sample only the one with the best final score is in it; ${counted(duplicates.length, 'run')} left out.\n`,
    );
  }
  return lines.join('');
}

function repeatLine({ repeats }: Pick<Target, 'repeats'>, { preset }: ExportPlan): string {
  if (preset.repeat.react === 1 && preset.maxTokens === null) return '';
  const { react, summary } = preset.repeat;
  const how = {
    rows: `A segment's row stands ${react} times in the file, a summary's ${summary} times (APOLLO upsampling)`,
    weight: `A segment's row counts ${react} times, a summary's ${summary} times, by the weight named above (APOLLO upsampling)`,
    never: 'Rows are not repeated in this format',
  };
  return `- ${how[repeats]}; rows over ${preset.maxTokens} estimated tokens are left out.\n`;
}
