import {
  type GuidelinePoint,
  guidelineKeeps,
  guidelinePoints,
  guidelinePrinciple,
} from '@shared/labels/guideline';

const points: Readonly<Record<string, GuidelinePoint>> = guidelinePoints;

/** Where the window shows it; a judge reads the points without these. */
const inWindow: Readonly<Record<string, string>> = {
  'lowers-high-score': ' The facts row shows it.',
  'contradicts-hint':
    ' The banner above the step suggests a range; trim it to the steps that the hint is about.',
};

export const guideline = {
  keepTitle: 'Essential to keep',
  keeps: guidelineKeeps,
  principleTitle: guidelinePrinciple.title,
  principle: guidelinePrinciple.text,
  name: 'Guideline',
  version: (n: number) => `Guideline v${n}`,
  note: 'reason: keys 1–9, r',
  point: (code: string): GuidelinePoint => {
    const { text, counts } = points[code] ?? { text: '', counts: '' };
    return { text, counts: counts + (inWindow[code] ?? '') };
  },
  counts: (what: string) => `What counts: ${what}`,
  examples: (n: string) => (n === '1' ? '1 step decided for this here' : `${n} steps decided for this here`),
  noExamples: 'No step of this run has been decided for this reason yet.',
  give: 'Give as reason',
  held: 'set',
};
