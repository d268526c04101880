import { WaymarkError } from '@shared/contract/errors';
import { z } from 'zod';

/** A recorded policy: an ordered list of answers, each with the condition under which it is given. */
const conditionSchema = z.strictObject({
  /** A person has said something that matches the policy's `hint`. */
  hint: z.boolean().optional(),
  done: z.array(z.string()).optional(),
  not_done: z.array(z.string()).optional(),
  /** The observation of a step that was taken matches the pattern. */
  observed: z.strictObject({ step: z.string(), pattern: z.string() }).optional(),
  /** Both steps were taken, the first after the second. */
  later: z.strictObject({ step: z.string(), than: z.string() }).optional(),
});

const stepSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9_]+$/),
  when: conditionSchema.default({}),
  /** May be taken more than once. */
  repeat: z.boolean().default(false),
  reasoning: z.string(),
  text: z.string(),
  /** `{name}` in a string stands for a variable of the policy. */
  call: z.strictObject({
    name: z.string(),
    arguments: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  }),
});

const policySchema = z.strictObject({
  format: z.literal('waymark-policy/1'),
  notice: z.string(),
  model: z.string(),
  /** Values read off the conversation: from a step's observation, else from any message. Group 1 is the value. */
  variables: z.record(
    z.string(),
    z.strictObject({ step: z.string(), pattern: z.string(), fallback: z.string() }),
  ),
  /** Regular expression (any case) over what a person says. */
  hint: z.string(),
  steps: z.array(stepSchema).min(1),
});
export type Policy = z.infer<typeof policySchema>;
type PolicyStep = Policy['steps'][number];

/** What the policy says next, in the shape of a chat completion's message. */
export interface PolicyAnswer {
  reasoning: string;
  text: string;
  call: { id: string; name: string; arguments: string };
}

/** @throws WaymarkError `bad_input` naming the first field that is wrong */
export function parsePolicy(text: string, name: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new WaymarkError('bad_input', `${name} is not JSON: ${(error as Error).message}`);
  }
  const parsed = policySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new WaymarkError('bad_input', `${name}: ${issue?.path.join('.')} ${issue?.message}.`);
}

const requestSchema = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.unknown(),
      tool_call_id: z.string().optional(),
      tool_calls: z.array(z.object({ id: z.string() })).optional(),
    }),
  ),
});

/** What has happened, read off the messages alone, so that a retry or a resumed run gets the same answer. */
interface Conversation {
  /** Steps in the order they were taken; a repeated one stands several times. */
  taken: string[];
  /** Step → its last observation. */
  observations: Map<string, string>;
  /** What the person said, all of it. */
  said: string[];
  /** Every message text, for variables. */
  texts: string[];
}

/** The next answer for a chat-completions request body. @throws WaymarkError `bad_input` for any other body */
export function nextAnswer(policy: Policy, body: unknown): PolicyAnswer {
  const request = requestSchema.safeParse(body);
  if (!request.success) throw new WaymarkError('bad_input', 'The request holds no chat messages.');
  const conversation = readConversation(request.data.messages);
  const step = policy.steps.find((candidate) => applies(candidate, policy, conversation));
  if (!step) throw new WaymarkError('bad_input', 'The recorded policy has no step for this conversation.');
  const times = conversation.taken.filter((id) => id === step.id).length;
  const filled = Object.entries(step.call.arguments).map(([key, value]) => [
    key,
    typeof value === 'string' ? fillIn(value, policy, conversation) : value,
  ]);
  return {
    reasoning: step.reasoning,
    text: step.text,
    call: {
      id: times === 0 ? `call_${step.id}` : `call_${step.id}~${times + 1}`,
      name: step.call.name,
      arguments: JSON.stringify(Object.fromEntries(filled)),
    },
  };
}

function readConversation(messages: z.infer<typeof requestSchema>['messages']): Conversation {
  const conversation: Conversation = { taken: [], observations: new Map(), said: [], texts: [] };
  for (const message of messages) {
    const text = textOf(message.content);
    conversation.texts.push(text);
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) {
        const id = stepOf(call.id);
        if (id !== null) conversation.taken.push(id);
      }
    }
    if (message.role !== 'tool' && message.role !== 'user') continue;
    for (const match of text.matchAll(/<real_user>([\s\S]*?)<\/real_user>/g))
      conversation.said.push(match[1] ?? '');
    const id = stepOf(message.tool_call_id ?? '');
    if (id !== null) conversation.observations.set(id, text);
  }
  return conversation;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = z.array(z.object({ text: z.string() })).safeParse(content);
  return parts.success ? parts.data.map((part) => part.text).join('') : '';
}

function stepOf(callId: string): string | null {
  return /^call_([a-z0-9_]+)(~\d+)?$/.exec(callId)?.[1] ?? null;
}

function applies(step: PolicyStep, policy: Policy, conversation: Conversation): boolean {
  const { taken, observations, said } = conversation;
  const { when } = step;
  if (taken.includes(step.id) && !step.repeat) return false;
  if (when.hint !== undefined) {
    const heard = said.some((text) => new RegExp(policy.hint, 'i').test(text));
    if (heard !== when.hint) return false;
  }
  if (when.done && !when.done.every((id) => taken.includes(id))) return false;
  if (when.not_done?.some((id) => taken.includes(id))) return false;
  if (when.observed) {
    const text = observations.get(when.observed.step);
    if (text === undefined || !new RegExp(when.observed.pattern).test(text)) return false;
  }
  if (when.later) {
    const [later, earlier] = [taken.lastIndexOf(when.later.step), taken.lastIndexOf(when.later.than)];
    if (earlier < 0 || later < earlier) return false;
  }
  return true;
}

function fillIn(text: string, policy: Policy, conversation: Conversation): string {
  let filled = text;
  for (const [name, variable] of Object.entries(policy.variables)) {
    if (!filled.includes(`{${name}}`)) continue;
    filled = filled.replaceAll(`{${name}}`, valueFor(variable, conversation));
  }
  return filled;
}

function valueFor(variable: Policy['variables'][string], conversation: Conversation): string {
  const observed = new RegExp(variable.pattern).exec(conversation.observations.get(variable.step) ?? '')?.[1];
  if (observed !== undefined) return observed;
  for (const text of conversation.texts) {
    const found = new RegExp(variable.fallback).exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return '/workspace';
}
