import { type ChatMessage, type ChatToolCall, contentText, type PlacedMessage } from '../log/chat';
import type { HeadMessage } from '../log/event-parts';
import type { EventBody } from '../log/events';
import type { ImagePart } from '../log/image-part';
import { escapeHumanTag, escapeHumanTagInJson } from './human-tag';
import { imagesTokens } from './image-header';
import { imageMessage, imagesText, namedAsLeftOut, type PlacedImage, shownWith } from './image-message';
import { estimateTokens, TOKENS_PER_MESSAGE } from './tokens';

/** Summary and last summarised observation at the end of the head: one entry of the algorithm. */
export interface SummaryPair {
  /** Hints inside that observation. */
  hints: { id: string; text: string }[];
  /** Hints of all that was ever summarised, in order: the summary holds a reflection of each (ids, see `hintIdSchema`). */
  reflected: { id: string; text: string }[];
  kept: Kept | null;
}

/** What stays of a text that was shortened in the context, UTF-16 units of the whole text. */
export interface Kept {
  keepStart: number;
  keepEnd: number;
  /** The sentence in its place says how to see the rest. */
  lines?: true | undefined;
}

interface EntryObservation {
  call: number;
  id: string;
  /** As the model reads it, without what was added. */
  text: string;
  /** Hints and kept lines, in the order in which they came. */
  added: string;
  kept: Kept | null;
  /** What it shows besides its text; absent: nothing. */
  images?: readonly ImagePart[];
  /** Requests only name these images by now. */
  leftOut?: boolean;
}

/** One step as it stands in the context. */
export interface ContextEntry {
  step: number;
  assistant: Omit<Extract<ChatMessage, { role: 'assistant' }>, 'reasoning_content'>;
  reasoning: string;
  observations: EntryObservation[];
  taught: string;
  /** Hints of a step without observation, kept lines, and hints that came after such a line, in that order. */
  taughtAdded: string;
  /** The line that was kept last, and the message it stands in. */
  line: { text: string; at: LastMessage } | null;
  hints: { id: string; text: string }[];
  /** Estimated tokens, kept once the entry no longer changes. */
  tokens: number | null;
}

export function entryOf(body: EventBody<'model.answered'>): ContextEntry {
  return {
    step: body.step,
    assistant: assistantOf(body),
    reasoning: escapeHumanTag(body.reasoning),
    observations: [],
    taught: '',
    taughtAdded: '',
    line: null,
    hints: [],
    tokens: null,
  };
}

/** Observations stand in the order of their calls; a second one of the same call is ignored. */
export function addObservation(entry: ContextEntry, body: EventBody<'action.observed'>): void {
  const { observations } = entry;
  if (observations.some(({ call }) => call === body.call)) {
    return;
  }
  const text = escapeHumanTag(body.text);
  const observation: EntryObservation = { call: body.call, id: body.callId, text, added: '', kept: null };
  if (body.images !== undefined && body.images.length > 0) observation.images = body.images;
  const at = observations.findIndex(({ call }) => call > body.call);
  observations.splice(at < 0 ? observations.length : at, 0, observation);
}

/** All that the step's observations show or showed, in their order; undefined without any. */
export function imagesOf({ observations }: ContextEntry): readonly PlacedImage[] | undefined {
  const all = observations.flatMap(({ images = [], leftOut = false }) =>
    images.map((image) => ({ image, leftOut })),
  );
  return all.length > 0 ? all : undefined;
}

/** Which message of the entry is its last one; images stand in the teaching message. */
type LastMessage = 'observation' | 'teaching' | 'assistant';

function lastMessage({ taught, taughtAdded, observations }: ContextEntry): LastMessage {
  if (taught !== '' || taughtAdded !== '' || observations.some(({ images }) => images !== undefined)) {
    return 'teaching';
  }
  return observations.length > 0 ? 'observation' : 'assistant';
}

/** The text becomes part of the entry's last message, for good. */
export function keepLine(entry: ContextEntry, text: string): void {
  const at = lastMessage(entry);
  entry.line = { text, at };
  const last = entry.observations.at(-1);
  if (at === 'teaching') {
    entry.taughtAdded += text;
  } else if (at === 'observation' && last !== undefined) {
    last.added += text;
  } else {
    entry.assistant = { ...entry.assistant, content: entry.assistant.content + text };
  }
}

/** The line in the entry's last message; '' when nothing was kept there. */
export function lineOf(entry: ContextEntry): string {
  return entry.line?.at === lastMessage(entry) ? entry.line.text : '';
}

/** Hints join the last observation, else the teaching message; where that message was sent with a line, its end. */
function hintsJoinTeaching({ observations, line }: ContextEntry): boolean {
  return observations.length === 0 || line?.at === 'teaching';
}

/** o ⊕ U of APOLLO Algorithm 1, l. 14: the last observation, else the teaching message. What was sent only grows. */
export function addHints(
  entry: ContextEntry,
  body: Pick<EventBody<'hint.delivered'>, 'hints' | 'text'>,
): void {
  const last = entry.observations.at(-1);
  if (last === undefined || hintsJoinTeaching(entry)) {
    entry.taughtAdded += body.text;
  } else {
    last.added += body.text;
  }
  entry.hints.push(...body.hints);
}

/**
 * The entry's messages in sending order; `hint` is added as `addHints` would add it. Images follow the tool messages in a user
 * message, before what teaches; `showImages` false: the model takes none, and reads in their place that there are some.
 */
export function entryMessages(
  entry: ContextEntry,
  sendReasoning: boolean,
  hint = '',
  showImages = true,
): PlacedMessage[] {
  const { step, assistant, reasoning, observations } = entry;
  const said = sendReasoning && reasoning !== '' ? withReasoning(assistant, reasoning) : assistant;
  const messages: PlacedMessage[] = [{ step, message: said }];
  const toTeaching = hintsJoinTeaching(entry);
  for (const [index, observation] of observations.entries()) {
    const joins = index === observations.length - 1 && !toTeaching;
    const added = observation.added + (joins ? hint : '');
    const text = shortened(observation.text, observation.kept) + added;
    messages.push({ step, message: { role: 'tool', tool_call_id: observation.id, content: text } });
  }
  const added = entry.taughtAdded + (toTeaching ? hint : '');
  const images = imagesOf(entry);
  if (images !== undefined) {
    messages.push({ step, ...imageMessage(images, { taught: entry.taught, added }, showImages) });
  } else if (entry.taught !== '' || added !== '') {
    messages.push({ step, message: { role: 'user', content: entry.taught + added } });
  }
  return messages;
}

/** What the step brought back, all calls, and at the end the hints and lines: o_k of the algorithm. */
export function observationOf(entry: ContextEntry): string {
  const several = entry.observations.length > 1;
  const texts = entry.observations.map(({ text, kept }, index) => {
    const whole = shortened(text, kept);
    return several ? `[${index + 1} of ${entry.observations.length}]\n${whole}` : whole;
  });
  const added = entry.observations.map((observation) => observation.added).join('') + entry.taughtAdded;
  const images = imagesOf(entry);
  const shown = images === undefined ? [] : [imagesText(images)];
  return [...texts, ...shown, ...(entry.taught === '' ? [] : [entry.taught])].join('\n\n') + added;
}

/** The text with its middle left out, and a sentence in its place that says how much is missing. */
export function shortened(text: string, kept: Kept | null): string {
  const left = kept === null ? 0 : text.length - kept.keepStart - kept.keepEnd;
  if (kept === null || left <= 0) return text;
  const more = kept.lines === true ? '. To see them, ask for just that part again' : '';
  return `${text.slice(0, kept.keepStart)}\n\n[${left} characters are left out here, because the context is full${more}]\n\n${text.slice(text.length - kept.keepEnd)}`;
}

/** Estimated tokens of a message's texts; images are counted by what `PlacedMessage.images` says of them. */
export function messageTokens(message: ChatMessage): number {
  const calls = message.role === 'assistant' && message.tool_calls !== undefined ? message.tool_calls : [];
  const reasoning = message.role === 'assistant' ? (message.reasoning_content ?? '') : '';
  return (
    TOKENS_PER_MESSAGE +
    estimateTokens(contentText(message)) +
    (reasoning === '' ? 0 : estimateTokens(reasoning)) +
    calls.reduce((sum, call) => sum + estimateTokens(call.function.name + call.function.arguments), 0)
  );
}

/** Estimated tokens of a message, images included. */
export function placedTokens({ message, images }: Pick<PlacedMessage, 'message' | 'images'>): number {
  return messageTokens(message) + imagesTokens(images);
}

export function tokensOf(messages: readonly PlacedMessage[]): number {
  return messages.reduce((sum, placed) => sum + placedTokens(placed), 0);
}

/** `content` stays the last field, see `ContextFold`. */
function withReasoning(assistant: ContextEntry['assistant'], reasoning: string): ChatMessage {
  const { role, content, ...calls } = assistant;
  return { role, reasoning_content: reasoning, ...calls, content };
}

function assistantOf(body: EventBody<'model.answered'>): ContextEntry['assistant'] {
  const valid: ChatToolCall[] = [];
  const parts: string[] = body.text === '' ? [] : [escapeHumanTag(body.text)];
  for (const [index, call] of body.calls.entries()) {
    if ((body.invalid[index] ?? null) === null) {
      const text = escapeHumanTagInJson(call.arguments);
      valid.push({ id: call.id, type: 'function', function: { name: call.name, arguments: text } });
    } else {
      parts.push(quoteCall(call));
    }
  }
  if (parts.length === 0 && valid.length === 0) {
    parts.push(EMPTY_ANSWER);
  }
  return {
    role: 'assistant',
    ...(valid.length > 0 ? { tool_calls: valid } : {}),
    content: parts.join('\n\n'),
  };
}

/** Stands for an answer without text and calls: most endpoints refuse an assistant message with nothing in it. */
const EMPTY_ANSWER = '(empty answer)';

/** How a call that could not be used is replayed: as plain text, never as a call (semantics, Words). */
function quoteCall(call: { name: string; arguments: string }): string {
  return escapeHumanTag(`[call not understood] ${call.name}\n${call.arguments}`);
}

export const atHead = (message: HeadMessage): PlacedMessage => headMessage(message, true);

/** A message of the head as it is sent; its text names its images whether they are shown or not. */
function headMessage({ role, content, images }: HeadMessage, showImages: boolean): PlacedMessage {
  return showImages && images !== undefined && images.length > 0
    ? { step: 0, ...shownWith(images, content) }
    : { step: 0, message: { role, content } };
}

/** The messages before the first own step. Hints and lines that come while no step stands in the context join them. */
export class ContextHead {
  private readonly own: HeadMessage[];
  /** Hints and kept lines at the end of the last user message, in the order in which they came. */
  private added = '';
  /** The line that was kept last; '' without one. */
  line = '';
  /** Requests only name its images by now. */
  leftOut = false;

  constructor(head: readonly HeadMessage[]) {
    this.own = head.map((message) => ({ ...message }));
  }

  /** Content of the first message, nothing added. */
  get first(): string {
    return this.own[0]?.content ?? '';
  }

  /** Content of the last message, nothing added. */
  get last(): string {
    return this.own.at(-1)?.content ?? '';
  }

  /** Images in it, oldest first, whether they are still sent or not. */
  get images(): ImagePart[] {
    return this.own.flatMap(({ images = [] }) => images);
  }

  /**
   * With all that was added, as `segment.started` stores it. `kept`: the last message is shortened so. `leftOut`: images are
   * named only.
   */
  stored(kept: Kept | null, hint = '', leftOut = this.leftOut): HeadMessage[] {
    const end = this.own.length - 1;
    const own = this.own.map((message, index) => {
      const whole = kept !== null && index === end ? shortenedMessage(message, kept) : message;
      return leftOut ? namedMessage(whole) : whole;
    });
    const added = this.added + hint;
    return added === '' ? own : withHint(own, added);
  }

  /** As sent; `hint` is added as `addHint` would add it. `showImages` false: the model takes none. */
  messages(kept: Kept | null, hint = '', showImages = true, leftOut = this.leftOut): PlacedMessage[] {
    return this.stored(kept, hint, leftOut && showImages).map((message) => headMessage(message, showImages));
  }

  addHint(text: string): void {
    this.added += text;
  }

  /** The text becomes part of the last message, for good. */
  keepLine(text: string): void {
    this.line = text;
    const last = this.own.at(-1);
    if (last === undefined || last.role === 'user') this.added += text;
    else this.own[this.own.length - 1] = { ...last, content: last.content + text };
  }
}

/** Hints that come before a step stands in the context join the task. */
export function withHint(head: readonly HeadMessage[], text: string): HeadMessage[] {
  const at = head.map(({ role }) => role).lastIndexOf('user');
  return head.map((message, index) =>
    index === at ? { ...message, content: message.content + text } : message,
  );
}

/** The message with its text shortened; hints and images stay whole. */
function shortenedMessage(message: HeadMessage, kept: Kept): HeadMessage {
  const { text, hints } = splitHints(message.content);
  return { ...message, content: shortened(text, kept) + hints };
}

/** The message with its images named only. */
function namedMessage(message: HeadMessage): HeadMessage {
  const { images, ...named } = message;
  return images === undefined ? message : { ...named, content: namedAsLeftOut(message.content, images) };
}

/** Only hints hold the tag (`escapeHumanTag`), and they stand at the end. */
export function splitHints(content: string): { text: string; hints: string } {
  const at = content.indexOf('\n\n<real_user>');
  return at < 0 ? { text: content, hints: '' } : { text: content.slice(0, at), hints: content.slice(at) };
}
