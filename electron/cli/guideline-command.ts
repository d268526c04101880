import { editDistance } from '@shared/base/edit-distance';
import {
  GUIDELINE_VERSION,
  guidelineKeeps,
  guidelinePoints,
  guidelinePrinciple,
  keepCodes,
  reasonCodes,
} from '@shared/labels/guideline';
import type { CommandResult } from './output';

/** `guideline`: the reasons that labels take, with what counts; needs no workspace. */
export function guidelineCommand(): CommandResult {
  const mask = reasonCodes.map((code, index) => ({ code, priority: index + 1, ...guidelinePoints[code] }));
  const keep = keepCodes.map((code, index) => ({ code, ...guidelineKeeps[index] }));
  return {
    json: { version: GUIDELINE_VERSION, mask, keep, principle: guidelinePrinciple },
    lines: [
      `Guideline v${GUIDELINE_VERSION}: reasons to mask a step`,
      ...mask.flatMap(({ code, priority, text, counts }) => [
        `${priority}  ${code}`,
        `   ${text}`,
        `   What counts: ${counts}`,
      ]),
      '',
      'Essential to keep: reasons for train',
      ...keep.flatMap(({ code, text }) => [`   ${code}`, `   ${text}`]),
      '',
      guidelinePrinciple.title,
      `   ${guidelinePrinciple.text}`,
    ],
  };
}

const CODES: readonly string[] = [...reasonCodes, ...keepCodes];

/** The code that a reason was probably meant to be: words of one's own are a reason as well. Null: none is near. */
export function meantCode(reason: string): string | null {
  const plain = reason
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  if (CODES.includes(reason) || plain.length > 40) return null;
  return CODES.find((code) => code === plain || (plain.length > 5 && editDistance(code, plain) <= 2)) ?? null;
}
