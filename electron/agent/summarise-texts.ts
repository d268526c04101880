import { escapeHumanTag } from '@shared/human-tag';
import { hintName } from '@shared/summary';
import type { SummaryPlan } from '@shared/summary-plan';

/** Templates of a summary turn: the summariser's system prompt, its last message, and how the next context goes on. */
export interface SummaryTexts {
  system: string;
  /** Holds `{{last}}`, the last summarised step, and `{{hints}}`. */
  closing: string;
  /** Stands before the last summarised observation; holds `{{last}}`. */
  goOn: string;
}

/** How much of a hint is quoted, so that it is recognised, UTF-16 units. */
const QUOTED = 160;

export function closingText({ closing }: SummaryTexts, plan: Pick<SummaryPlan, 'last' | 'hints'>): string {
  return fill(closing, { last: String(plan.last.step), hints: hintLines(plan.hints) });
}

export function goOnText({ goOn }: SummaryTexts, step: number): string {
  return fill(goOn, { last: String(step) });
}

/** What a repeated try is told; it goes to the end of the last message of that request only. */
export function rejectedTail(problem: string | null): string {
  return problem === null ? '' : `\n\n[Your last answer could not be used. ${problem}]`;
}

function hintLines(hints: SummaryPlan['hints']): string {
  if (hints.length === 0) {
    return 'This part holds no hint of the user.';
  }
  const lines = hints.map(({ id, text, step }) => {
    const line = escapeHumanTag(text.replace(/\s+/gu, ' ').trim());
    const cut = line.length > QUOTED ? `${line.slice(0, QUOTED).replace(/[\ud800-\udbff]$/u, '')}…` : line;
    return `- ${hintName(id)}${step === 0 ? '' : `, after step ${step}`}: ${cut}`;
  });
  return `Hints of the user in this part; write one reflection for each, with its id:\n${lines.join('\n')}`;
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/gu, (whole, name: string) => values[name] ?? whole);
}
