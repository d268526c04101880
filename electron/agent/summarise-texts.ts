import { escapeHumanTag } from '@shared/context/human-tag';
import type { SummaryPlan } from '@shared/context/summary-plan';
import { hintName } from '@shared/log/event-parts';

/** Templates of a summary turn: the summariser's system prompt, its last message, and how the next context goes on. */
export interface SummaryTexts {
  system: string;
  /** Holds `{{hints}}`. */
  closing: string;
  /** Stands before the last summarised observation. */
  goOn: string;
}

/** How much of a hint is quoted, so that it is recognised, UTF-16 units. */
const QUOTED = 160;

export function closingText({ closing }: SummaryTexts, plan: Pick<SummaryPlan, 'hints'>): string {
  return closing.replaceAll('{{hints}}', () => hintLines(plan.hints));
}

/** What a repeated try is told; it goes to the end of the last message and stays there. */
export function rejectedTail(problem: string | null): string {
  return problem === null ? '' : `\n\n[Your last answer could not be used. ${problem}]`;
}

function hintLines(hints: SummaryPlan['hints']): string {
  if (hints.length === 0) {
    return 'This part contains no hints from the user.';
  }
  const lines = hints.map(({ id, text, ofSummary }) => {
    const line = escapeHumanTag(text.replace(/\s+/gu, ' ').trim());
    const cut = line.length > QUOTED ? `${line.slice(0, QUOTED).replace(/[\ud800-\udbff]$/u, '')}…` : line;
    const where = ofSummary ? ', in the earlier summary' : '';
    return `- ${hintName(id)}${where}${cut === '' ? '' : `: ${cut}`}`;
  });
  return `Hints from the user in this part, including those from an earlier summary; write one reflection for each, with its id:\n${lines.join('\n')}`;
}
