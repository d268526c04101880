import { keepCodes, reasonCodes } from '@shared/labels/guideline';
import { expect, it } from 'vitest';
import { guidelineCommand, meantCode } from './guideline-command';

it('prints every code once, the nine priorities in their order', () => {
  const { json, lines } = guidelineCommand();
  const text = lines.join('\n');
  for (const [index, code] of reasonCodes.entries()) expect(text).toContain(`${index + 1}  ${code}\n`);
  for (const code of keepCodes) expect(text).toContain(`   ${code}\n`);
  expect(text).toContain('Tolerant to decisions, strict to their execution');
  expect(json).toMatchObject({
    mask: reasonCodes.map((code) => ({ code })),
    keep: keepCodes.map((code) => ({ code })),
  });
});

it.each([
  ['blind-edit', null],
  ['blind edit', 'blind-edit'],
  ['Blind_Edit', 'blind-edit'],
  ['eval-timming', 'eval-timing'],
  ['keep-debuging', 'keep-debugging'],
  ['it edits without a look', null],
  ['', null],
  ['timing', null],
])('%j was meant to be %j', (typed, meant) => {
  expect(meantCode(typed)).toBe(meant);
});
