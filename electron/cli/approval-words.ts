import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import { visibleText } from '@shared/terminal/visible-text';
import { foldQuoted, setOff, usualColumns } from './fold-quoted';

/** More rows than this do not stand on a usual terminal of 24 together with the question. */
const shownAtOnce = 16;

/** What a run wants to do, whole, where and why it asks, and what could be allowed with it. */
export function questionLines({ run, step, what, why, kinds = [], on = [] }: ApprovalAsked): string[] {
  const where = on.length === 0 ? '' : ` on ${on.join(' and ')}`;
  return [
    `Run ${run} is waiting for your approval. In step ${step} the agent wants to do this${where}:`,
    // The agent's own words: marked, so that none of its lines passes for one of ours. The terminal folds them.
    ...setOff(what),
    ...lengthLines(what),
    `Why it asks: ${why}`,
    ...(kinds.length === 0 ? [] : [`This kind, for the rest of this run: ${kinds.join('; ')}.`]),
  ];
}

/** After a command that scrolls away its own beginning: how long it is. */
function lengthLines(what: string): string[] {
  const rows = setOff(visibleText(what)).flatMap((line) => foldQuoted(line, usualColumns).split('\n')).length;
  if (rows <= shownAtOnce) return [];
  return [
    `That is ${what.length} characters in ${rows} rows of ${usualColumns} columns. Read it from its beginning before you answer.`,
  ];
}

/** The same with how to answer from anywhere else. */
export function approvalLines(asked: ApprovalAsked): string[] {
  const { run, kinds = [] } = asked;
  return [
    ...questionLines(asked),
    `Answer in the window, or in a terminal: run approve ${run}${kinds.length === 0 ? '' : ' [--kind]'}, or run refuse ${run} [--reason TEXT].`,
  ];
}
