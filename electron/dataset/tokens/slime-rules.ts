import { WaymarkError } from '@shared/contract/errors';
import type { TemplateRow, Training } from './conversation';
import type { Range } from './jinja/marks';
import { inputOf, markedText, messageList, own, placesOf, renderWhole, training } from './rendering';
import { type LoadedTokenizer, rendered } from './tokenizer';

/**
 * slime's rules for which tokens get loss (`--loss-mask-type`), re-implemented from what its mask generator does at commit
 * 624b824a; it is Apache-2.0 and none of its code is here. `qwen` and `qwen3` render message by message and put the pieces'
 * tokens together, so that the ids are not always those of the whole conversation.
 */

type Message = Record<string, unknown>;

interface Piece {
  /** Messages of the row that it shows, from this index on. */
  index: number;
  count: number;
  messages: readonly Message[];
  tools: readonly unknown[] | null;
  /** Tokens that are cut off in front and behind. */
  cutBefore: number;
  cutAfter: number;
  /** Messages of the rendering that are not the row's, in front. */
  strangers: number;
}

/** `qwen`: each message is rendered alone, and the template's own system prompt is cut off in front of it. */
export function trainQwen(loaded: LoadedTokenizer, row: TemplateRow): Training {
  const lengths = measure(loaded);
  const pieces = row.messages.map((message, index): Piece => {
    const cutBefore = index > 0 && message.role !== 'system' ? lengths.system : 0;
    return {
      index,
      count: 1,
      messages: [message],
      tools: index === 0 ? row.tools : null,
      cutBefore,
      cutAfter: 0,
      strangers: 0,
    };
  });
  return joined(loaded, row, pieces, lengths.prompt);
}

const stranger: Message = { role: 'user', content: 'FOR CALCULATING LOSS MASK ONLY' };

/** `qwen3`: each message is rendered behind a user message, or the first one before it; tool messages in a row together. */
export function trainQwen3(loaded: LoadedTokenizer, row: TemplateRow): Training {
  const lengths = measure(loaded);
  const before = idsOf(loaded, [stranger], null).length;
  const pieces: Piece[] = [];
  for (let index = 0; index < row.messages.length; ) {
    let end = index + 1;
    if (row.messages[index]?.role === 'tool') while (row.messages[end]?.role === 'tool') end += 1;
    const group = row.messages.slice(index, end);
    const cut = group[0]?.role === 'system' ? 0 : lengths.system;
    pieces.push(
      index === 0
        ? {
            index,
            count: group.length,
            messages: [...group, stranger],
            tools: row.tools,
            cutBefore: 0,
            cutAfter: before,
            strangers: 0,
          }
        : {
            index,
            count: group.length,
            messages: [stranger, ...group],
            tools: null,
            cutBefore: before + cut,
            cutAfter: 0,
            strangers: 1,
          },
    );
    index = end;
  }
  return withEmptyThoughts(row, joined(loaded, row, pieces, lengths.prompt));
}

const header = '<|im_start|>assistant\n';
const thinking = '<think>\n';
const endOfTurn = '<|im_end|>';

/**
 * `qwen3_5`: the conversation is rendered and tokenised whole; each message of the assistant is searched for by its header, and
 * any token that holds a character of it gets loss, from behind `<think>\n` to the line end behind `<|im_end|>`.
 */
export function trainQwen35(loaded: LoadedTokenizer, row: TemplateRow): Training {
  const whole = renderWhole(loaded, row);
  const { text, encoded, places } = whole;
  const owner = new Int32Array(encoded.ids.length).fill(-1);
  const misled: number[] = [];
  const found: { index: number; range: Range }[] = [];
  let cursor = 0;
  for (const [index, mask] of row.masks.entries()) {
    if (mask === null) continue;
    const at = text.indexOf(header, cursor);
    const content = at + header.length;
    const end = at < 0 ? -1 : text.indexOf(endOfTurn, content);
    if (end < 0) {
      throw new WaymarkError(
        'refused',
        `slime's mask type qwen3_5 does not find message ${index + 1} in the text of this template and would stop. Use a template of the Qwen3.5 family, or another mask type.`,
      );
    }
    const to = end + endOfTurn.length;
    cursor = text[to] === '\n' ? to + 1 : to;
    const place = places[index];
    if (place !== undefined && (at < place.from || at >= place.to)) misled.push(index);
    const from = text.startsWith(thinking, content) ? content + thinking.length : content;
    found.push({ index, range: { from, to: cursor } });
  }
  // A token that holds characters of two messages trains where either does.
  for (const trains of [0, 1])
    for (const { index, range } of found)
      if (row.masks[index] === trains) own({ owner, encoded }, range, index);
  const warnings =
    misled.length === 0
      ? []
      : [
          `slime takes other text for ${messageList(misled)}: "${header.trim()}" also occurs in the text of another message.`,
        ];
  return training(whole, { owner, trained: null, warnings });
}

/** `distill_qwen`: the first message and a generation prompt, then the content of the last message, which alone trains. */
export function trainDistillQwen(loaded: LoadedTokenizer, row: TemplateRow): Training {
  const first = row.messages.slice(0, 1);
  const prompt = rendered(loaded, {
    ...inputOf(loaded, { ...row, messages: first }),
    addGenerationPrompt: true,
  });
  const content = row.messages.at(-1)?.content;
  const answer = typeof content === 'string' ? content : '';
  const [asked, said] = [loaded.tokenizer.encode(prompt), loaded.tokenizer.encode(answer)];
  const last = row.messages.length - 1;
  const owner = new Int32Array(asked.ids.length + said.ids.length).fill(-1);
  owner.fill(last, asked.ids.length);
  // Without a mask of its own the last message trains, whoever says it.
  const trained = row.masks[last] === null ? new Uint8Array(owner.length).fill(1, asked.ids.length) : null;
  return {
    text: prompt + answer,
    ids: [...asked.ids, ...said.ids],
    starts: [...asked.starts, ...said.starts.map((start) => start + prompt.length)],
    owner,
    trained,
    places: row.messages.map((_, index) =>
      index === 0
        ? { from: 0, to: prompt.length }
        : { from: prompt.length, to: index === last ? prompt.length + answer.length : prompt.length },
    ),
    warnings: [
      `slime's mask type distill_qwen takes the first and the last message only; ${Math.max(0, row.messages.length - 2)} between them are left out.`,
    ],
  };
}

interface Lengths {
  /** Tokens of the system prompt that the template adds on its own. */
  system: number;
  /** Tokens of the generation prompt. */
  prompt: number;
}

const word = 'FOR TESTING ONLY';

/** @throws WaymarkError refused where slime would stop: its test word is not twice among the tokens */
function measure(loaded: LoadedTokenizer): Lengths {
  const messages = [1, 2].map(() => ({ role: 'user', content: word }));
  const ids = idsOf(loaded, messages, null);
  const wanted = loaded.tokenizer.ids(word);
  const places = ids.flatMap((_, at) => (wanted.every((id, offset) => ids[at + offset] === id) ? [at] : []));
  const [first, second] = places;
  if (first === undefined || second === undefined || places.length !== 2) {
    throw new WaymarkError(
      'refused',
      `slime's mask types qwen and qwen3 do not work with the template of ${loaded.view.name}: its test word stands ${places.length} times among the tokens, not twice. Choose another rule.`,
    );
  }
  const behind = ids.length - wanted.length - second;
  const asking = rendered(loaded, {
    ...inputOf(loaded, { messages, tools: null }),
    addGenerationPrompt: true,
  });
  return {
    system: first - (second - first - behind - wanted.length),
    prompt: loaded.tokenizer.ids(asking).length - ids.length,
  };
}

function idsOf(
  loaded: LoadedTokenizer,
  messages: readonly Message[],
  tools: readonly unknown[] | null,
): number[] {
  return loaded.tokenizer.ids(rendered(loaded, inputOf(loaded, { messages, tools })));
}

/** Puts the tokens of pieces together; the first `prompt` tokens of an assistant's piece never train. */
function joined(
  loaded: LoadedTokenizer,
  row: TemplateRow,
  pieces: readonly Piece[],
  prompt: number,
): Training {
  const all: Training = {
    text: '',
    ids: [],
    starts: [],
    owner: new Int32Array(),
    trained: null,
    places: row.messages.map(() => ({ from: 0, to: 0 })),
    warnings: [],
  };
  const owners: number[] = [];
  for (const piece of pieces) {
    const marked = markedText(loaded, inputOf(loaded, piece));
    const encoded = loaded.tokenizer.encode(marked.text);
    const end = Math.max(0, encoded.ids.length - piece.cutAfter);
    const kept = { from: Math.min(piece.cutBefore, end), to: end };
    const from = encoded.starts[kept.from] ?? marked.text.length;
    const to = kept.to > kept.from ? (encoded.ends[kept.to - 1] ?? from) : from;
    const moved = all.text.length - from;
    const mask = row.masks[piece.index] ?? null;
    if (mask === 1 && kept.to - kept.from < prompt) {
      throw new WaymarkError(
        'refused',
        `slime would stop at message ${piece.index + 1}: it has fewer tokens than the generation prompt. Choose another mask type.`,
      );
    }
    for (let token = kept.from; token < kept.to; token += 1) {
      all.ids.push(encoded.ids[token] ?? 0);
      all.starts.push(Math.max(all.text.length, (encoded.starts[token] ?? 0) + moved));
      owners.push(mask !== null && token - kept.from >= prompt ? piece.index : -1);
    }
    place(all, { piece, marked, from, to, moved });
    all.text += marked.text.slice(from, to);
  }
  return { ...all, owner: Int32Array.from(owners) };
}

/** Where the messages of a piece are; what is in front of the first belongs to it. */
function place(
  all: Training,
  at: { piece: Piece; marked: ReturnType<typeof markedText>; from: number; to: number; moved: number },
): void {
  const { piece, marked, from, to, moved } = at;
  const masks = piece.messages.map(() => null);
  const { places } = placesOf(marked, { messages: piece.messages, masks });
  let next = from;
  for (let offset = 0; offset < piece.count; offset += 1) {
    const last = offset === piece.count - 1;
    const found = places[piece.strangers + offset];
    const end = last ? to : Math.min(to, Math.max(next, found?.to ?? next));
    const target = all.places[piece.index + offset];
    if (target !== undefined) Object.assign(target, { from: next + moved, to: end + moved });
    next = end;
  }
}

/** slime trains an empty thought on every turn without one, because it renders each as the last of a conversation. */
function withEmptyThoughts(row: TemplateRow, made: Training): Training {
  const empty = row.messages.flatMap((message, index) => {
    const thought = message.reasoning_content;
    if (row.masks[index] !== 1 || (typeof thought === 'string' && thought.trim() !== '')) return [];
    const { from = 0, to = 0 } = made.places[index] ?? {};
    return /<think>\s*<\/think>/.test(made.text.slice(from, to)) ? [index] : [];
  });
  if (empty.length === 0) return made;
  return {
    ...made,
    warnings: [
      ...made.warnings,
      `slime trains an empty <think> block in ${messageList(empty)}: these turns have no reasoning.`,
    ],
  };
}
