import {
  type GuidelinePoint,
  guidelineKeeps,
  guidelinePoints,
  guidelinePrinciple,
} from '@shared/labels/guideline';

const points: Readonly<Record<string, GuidelinePoint>> = guidelinePoints;

export const guideline = {
  keepTitle: 'Essential to keep',
  keeps: guidelineKeeps,
  principleTitle: guidelinePrinciple.title,
  principle: guidelinePrinciple.text,
  name: 'Guideline',
  version: (n: number) => `Guideline v${n}`,
  note: 'reason: keys 1–9, r',
  point: (code: string): GuidelinePoint => points[code] ?? { text: '', counts: '' },
  counts: (what: string) => `What counts: ${what}`,
  examples: (n: string) => (n === '1' ? '1 step decided for this here' : `${n} steps decided for this here`),
  noExamples: 'No step of this run was decided for this yet.',
  give: 'Give as reason',
  held: 'set',
};
