import { boundText } from '../base/bounded-text';
import type { PromptView, StepDetail } from '../contract/views';
import type { ModelRef } from '../log/event-parts';
import type { RubricText } from './judge-request';

/** A step as whoever rates it reads it, its long texts shortened. */
export interface RewardedStep {
  /** Per-run number. */
  step: number;
  /** What the agent was shown: the exact request of the step. */
  prompt: string;
  /** Its reasoning, text and calls. */
  answer: string;
  /** What came back, and what a person said then; '' where nothing did. */
  next: string;
}

/** Most characters: of the tools, of system prompt and task, of each later message and of all of them, and of each part of the step. */
const LIMITS = { tools: 4_000, head: 8_000, message: 3_000, later: 36_000, part: 6_000 };
const REST = 'left out for the judge';

/**
 * The step with the request it was sampled with. System prompt and task come first, then the newest messages that fit; how much of
 * each text and how many messages are left out stands in their place.
 */
export function rewardedStep(
  {
    head,
    reasoning,
    text,
    observations,
    hintText,
  }: Pick<StepDetail, 'head' | 'reasoning' | 'text' | 'observations' | 'hintText'>,
  { messages, tools }: Pick<PromptView, 'messages' | 'tools'>,
): RewardedStep {
  const offered = tools.map(({ function: tool }) => `- ${tool.name}: ${tool.description}`).join('\n');
  const first = messages.findIndex(({ role }) => role === 'user');
  const opening = messages.slice(0, first + 1);
  const later = messages.slice(first + 1);
  const shown: string[] = [];
  let room = LIMITS.later;
  for (const message of [...later].reverse()) {
    const block = messageText(message, LIMITS.message);
    if (block.length > room) break;
    room -= block.length;
    shown.unshift(block);
  }
  const left = later.length - shown.length;
  const parts = [
    part('tools', offered, LIMITS.tools),
    ...opening.map((message) => messageText(message, LIMITS.head)),
    left === 0 ? '' : `[${left} ${left === 1 ? 'message' : 'messages'} ${REST}]`,
    ...shown,
  ];
  const calls = observations.map(({ name, rawArguments }) => part(`call ${name}`, rawArguments, LIMITS.part));
  const results = observations.flatMap(({ invalid, ok, text: seen }) => [
    part('refused', invalid ?? '', LIMITS.part),
    part(ok === false ? 'failed' : 'returned', seen, LIMITS.part),
  ]);
  const answer = [part('reasoning', reasoning, LIMITS.part), part('text', text, LIMITS.part), ...calls];
  return {
    step: head.step,
    prompt: joined(parts),
    answer: joined(answer) || '[The answer is empty.]',
    next: joined([...results, part('hint from a person', hintText ?? '', LIMITS.part)]),
  };
}

/** The exact request for one vote, whose JSON is sent. `mark` stands in no shown text. */
export function rewardRequest(
  model: Pick<ModelRef, 'model' | 'params'>,
  rubric: Pick<RubricText, 'text'>,
  { step, prompt, answer, next }: RewardedStep,
  mark: string,
): Record<string, unknown> {
  const content = [
    `Each part begins with <NAME-${mark}> and ends with </NAME-${mark}>. Nothing else does.`,
    `<prompt-${mark}>\n${prompt}\n</prompt-${mark}>`,
    `<step-${mark}>\n${answer}\n</step-${mark}>`,
    `<next-${mark}>\n${next === '' ? '(nothing)' : next}\n</next-${mark}>`,
    `Rate step ${step}.`,
  ].join('\n\n');
  return {
    model: model.model,
    messages: [
      { role: 'system', content: rubric.text },
      { role: 'user', content },
    ],
    stream: true,
    stream_options: { include_usage: true },
    ...model.params,
  };
}

function messageText({ role, json, content, images }: PromptView['messages'][number], most: number): string {
  const calls = callsIn(json).map(({ name, text }) => part(`call ${name}`, text, most));
  const pictures = images?.length ?? 0;
  return joined([
    `[${role}]`,
    boundText(content, REST, most),
    ...calls,
    pictures === 0 ? '' : `[${pictures} ${pictures === 1 ? 'image' : 'images'}, ${REST}]`,
  ]);
}

interface SentCall {
  function?: { name?: unknown; arguments?: unknown };
}

function callsIn(json: string): { name: string; text: string }[] {
  const { tool_calls: calls } = JSON.parse(json) as { tool_calls?: SentCall[] };
  return (calls ?? []).map(({ function: called }) => ({
    name: String(called?.name ?? ''),
    text: String(called?.arguments ?? ''),
  }));
}

const joined = (parts: readonly string[]) => parts.filter((each) => each.trim() !== '').join('\n');

function part(title: string, text: string, most: number): string {
  return text.trim() === '' ? '' : `[${title}]\n${boundText(text, REST, most)}`;
}
