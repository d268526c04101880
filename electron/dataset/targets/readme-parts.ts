import type { DataFile, TargetFacts } from './target';

/** The file that a README's command names: training data of the first variant. */
export function firstFile(files: readonly DataFile[], split: DataFile['split'] = 'train'): string | null {
  return files.find((file) => file.split === split)?.path ?? null;
}

/** Name of a data file in a list of datasets: letters, digits and `_`. */
export function datasetName({ variant, split, part }: DataFile): string {
  return [
    'waymark',
    ...(variant === 'all' ? [] : [variant]),
    split,
    ...(part === undefined ? [] : [part]),
  ].join('_');
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** What of the plan is in no record of this format. */
export function droppedText({ dropped }: Pick<TargetFacts, 'dropped'>): string {
  return dropped.length === 0
    ? ''
    : `\nNot in the files, because this loader would refuse or change it:\n\n${dropped
        .map(({ why, count }) => `- ${why}: ${count}`)
        .join('\n')}\n`;
}

/** Whether some record may hold reasoning: as chosen, or because a model of the rows was sent it. */
export function holdsReasoning(plan: TargetFacts['plan']): boolean {
  const { reasoning } = plan.preset;
  if (reasoning !== 'as-sent') return reasoning === 'keep';
  return plan.variants.some(({ rows }) =>
    rows.some(({ steps }) => steps.some(({ model }) => model.sendReasoning)),
  );
}

/** Why there is no reasoning in the records. */
export function noReasoning({ preset }: TargetFacts['plan']): string {
  return `The records hold no reasoning (${preset.reasoning === 'drop' ? '`--reasoning drop`' : 'no request held any'}).`;
}

/** The field that holds reasoning, for formats whose loader reads `reasoning_content`. */
export function reasoningLine(plan: TargetFacts['plan']): string {
  if (!holdsReasoning(plan)) return `- ${noReasoning(plan)}`;
  const where =
    plan.preset.reasoning === 'keep'
      ? 'on every step that has some, although the model was not sent it (`--reasoning keep`)'
      : 'wherever the requests held it';
  return `- Reasoning is in \`reasoning_content\` ${where}; templates that know the field render it as a \`<think>\` block.`;
}

/** How variants of one snapshot lie beside each other. */
export function variantsText(files: readonly DataFile[]): string {
  const variants = [...new Set(files.map(({ variant }) => variant))];
  return variants.length < 2
    ? ''
    : `\nThe variants ${variants.map((variant) => `\`${variant}\``).join(', ')} rest on one label snapshot. Train each on its own: together they contradict each other.\n`;
}

/** Where `metadata` columns of JSON text come from, for loaders that ignore other columns. */
export const metadataLine =
  '- `metadata` is JSON text that says where the record is from (run, segment, steps with their masks and who decided). The loader ignores it.';

/** How calls hold their arguments, for trainers that read the rows with `datasets`. */
export function argumentsLine({ argumentsForm }: Pick<TargetFacts, 'argumentsForm'>): string {
  const form =
    argumentsForm === 'object'
      ? 'objects. That needs `datasets` 4.7 or newer: older releases fill the arguments of one tool with the names of all others and null'
      : 'text (a string)';
  return `- Arguments are written as ${form}.`;
}
