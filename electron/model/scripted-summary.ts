import { type ChatMessage, contentText } from '@shared/log/chat';
import type { ScriptedAnswer, ScriptedRequest } from './scripted-answer';
import type { ScriptedPolicy } from './scripted-server';

/** What a summariser is offered and nobody else. */
const TOOL = 'keep_state';

const PARTS = [
  'target_and_best',
  'hypotheses',
  'knowledge',
  'files_and_pages',
  'sessions',
  'latest_actions',
  'experiments',
];

export function isSummaryRequest({ tools }: Pick<ScriptedRequest, 'tools'>): boolean {
  return tools.length === 1 && tools[0] === TOOL;
}

/** Names of the hints that the last message asks a reflection for. */
export function askedHints({ messages }: Pick<ScriptedRequest, 'messages'>): string[] {
  return [...textOf(messages.at(-1)).matchAll(/^- (hint-\w{6})/gmu)].map(([, name = '']) => name);
}

/** A whole summary: every part, a reflection for every hint that was asked for. */
export function scriptedSummary(
  request: Pick<ScriptedRequest, 'messages'>,
  over: Record<string, unknown> = {},
): ScriptedAnswer {
  const parts = Object.fromEntries(PARTS.map((part) => [part, `What is to be said about ${part}.`]));
  const last = textOf(request.messages.findLast(({ role }) => role === 'assistant'));
  const step = /(?:^Step |up to step )(\d+)/u.exec(last)?.[1];
  const latest = step === undefined ? {} : { latest_actions: `Work up to step ${step}.` };
  const reflections = askedHints(request).map((hint) => ({
    hint,
    text: `The user asked for this (${hint}).`,
  }));
  return { calls: [{ name: TOOL, arguments: { ...parts, ...latest, reflections, ...over } }] };
}

/** `policy` for the agent; summaries are answered as they should be, or by `summaries` in order, the last one repeated. */
export function withSummaries(policy: ScriptedPolicy, ...summaries: ScriptedPolicy[]): ScriptedPolicy {
  let asked = 0;
  return (request) => {
    if (!isSummaryRequest(request)) return policy(request);
    const own = summaries[Math.min(asked, summaries.length - 1)];
    asked += 1;
    return own === undefined ? scriptedSummary(request) : own(request);
  };
}

const textOf = (message: ChatMessage | undefined) => (message === undefined ? '' : contentText(message));
