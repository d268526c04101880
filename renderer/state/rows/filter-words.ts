import type { StepQuery } from '@shared/contract/step-query';
import type { Text } from '../../text/en';

export interface FilterChip {
  /** The field it stands for. */
  key: string;
  label: string;
  /** The query without it. */
  without: StepQuery;
}

/** One chip for every condition of a query, in the order of the panel. */
export function chipsOf(query: StepQuery, text: Text): FilterChip[] {
  const words = text.filter;
  const labels = { train: text.labels.train, mask: text.labels.mask, undecided: text.labels.undecided };
  const chips: FilterChip[] = [];
  const add = (key: keyof StepQuery, label: string): void => {
    const { [key]: _, ...without } = query;
    chips.push({ key, label, without });
  };
  const list = <T extends string>(
    key: keyof StepQuery,
    field: string,
    values: readonly T[] | undefined,
    name: (value: T) => string,
  ): void => {
    if (values !== undefined) add(key, words.on(field, values.map(name).join(', ')));
  };
  list('label', words.label, query.label, (value) => labels[value]);
  list('source', words.source, query.source, words.sourceName);
  list('marks', words.marks, query.marks, words.markName);
  list('kind', words.kind, query.kind, words.kindName);
  list('rule', words.rule, query.rule, text.labels.ruleName);
  list('tool', words.tool, query.tool, (tool) => (tool === '' ? words.noTool : tool));
  list('computer', words.computer, query.computer, (name) => (name === '' ? words.noComputer : name));
  if (query.error !== undefined) add('error', words.on(words.things, words.error));
  if (query.hint !== undefined) add('hint', words.on(words.things, words.hint));
  if (query.file !== undefined) add('file', words.on(words.file, query.file));
  if (query.text !== undefined) add('text', words.on(words.text, query.text));
  if (query.from !== undefined) add('from', words.on(words.from, String(query.from)));
  if (query.to !== undefined) add('to', words.on(words.to, String(query.to)));
  return chips;
}
