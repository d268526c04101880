import type { ExportVariant } from '@shared/contract/export-request';
import { combineLabels, type LabelOpinions } from '@shared/labels/effective-label';
import type { EffectiveLabel } from '@shared/labels/labels';

/** What holds for a step under each variant that was asked for; `all` is always there. */
export type VariantLabels = Readonly<
  { all: EffectiveLabel } & Partial<Record<ExportVariant, EffectiveLabel>>
>;

const none = { humans: [], rules: [], judges: [] } as const;

/** Nobody is heard: every step trains. */
const unmasked: EffectiveLabel = { value: null, source: null, reason: null, disagreement: false };

function opinionsIn(variant: ExportVariant, opinions: LabelOpinions): LabelOpinions {
  const { humans, rules, judges, precedence } = opinions;
  switch (variant) {
    case 'all':
      return opinions;
    case 'rules':
      return { ...none, rules, precedence };
    case 'judge':
      return { ...none, judges, precedence };
    case 'human':
      return { ...none, humans, precedence };
    case 'unmasked':
      return { ...none, precedence };
  }
}

/**
 * Labels of a step by variant (APOLLO, Table 2: with and without masks, with and without people). A hard mask is a rule's: with
 * people alone it does not hold. Few different labels stand on many steps, so equal ones are one object.
 */
export class VariantLabeller {
  private readonly labels = new Map<string, EffectiveLabel>();
  private readonly sets = new Map<string, VariantLabels>();

  constructor(private readonly variants: readonly ExportVariant[]) {}

  label(opinions: LabelOpinions): VariantLabels {
    const all = this.one(combineLabels(opinions).effective);
    const found: [ExportVariant, EffectiveLabel][] = [['all', all]];
    for (const variant of this.variants) {
      if (variant === 'all') continue;
      const heard = opinionsIn(variant, opinions);
      found.push([variant, variant === 'unmasked' ? unmasked : this.one(combineLabels(heard).effective)]);
    }
    const key = found.map(([, label]) => keyOf(label)).join('\n');
    const known = this.sets.get(key);
    if (known !== undefined) return known;
    const made: VariantLabels = { all, ...Object.fromEntries(found) };
    this.sets.set(key, made);
    return made;
  }

  private one(label: EffectiveLabel): EffectiveLabel {
    const key = keyOf(label);
    const known = this.labels.get(key);
    if (known === undefined) this.labels.set(key, label);
    return known ?? label;
  }
}

const keyOf = ({ value, source, reason, disagreement }: EffectiveLabel) =>
  `${value} ${source} ${disagreement} ${reason}`;

interface Labelled {
  labels: VariantLabels;
}

/** The label of a step under a variant. */
export function labelIn({ labels }: Labelled, variant: ExportVariant): EffectiveLabel {
  return labels[variant] ?? labels.all;
}

/**
 * 1: the step trains. Under `all` an undecided step is what the waiver says, and masked while there is none. Under the others
 * it trains: a step that nobody of theirs decided, and one on which people differ, is a step without their mask.
 */
export function maskIn(
  step: Labelled,
  variant: ExportVariant,
  undecided: 'refuse' | 'train' | 'mask',
): 0 | 1 {
  const { value } = labelIn(step, variant);
  return (value ?? (variant === 'all' ? undecided : 'train')) === 'train' ? 1 : 0;
}
