import { assertNever, WaymarkError } from '@shared/contract/errors';
import type { TokenMessage, TokenRule, TokenView } from '@shared/contract/export-views';
import {
  lossOf,
  type TemplateRow,
  type TokenOptions,
  type TokenRow,
  type Training,
  templateRow,
} from './conversation';
import { lostParts } from './loss-list';
import { messageList } from './rendering';
import { trainDistillQwen, trainQwen, trainQwen3, trainQwen35 } from './slime-rules';
import type { LoadedTokenizer } from './tokenizer';
import { trainGenerations, trainTurns } from './train-whole';

type Rule = TokenView['rule'];

/**
 * A row as a trainer sees it: the text that the template makes of it, its tokens, and which of them get loss.
 * @throws WaymarkError refused: the template or the trainer stops at this row; unsupported: the preview cannot show it
 */
export function tokenView(row: TokenRow, loaded: LoadedTokenizer, options: TokenOptions): TokenView {
  const form = formOf(loaded, options);
  const rule = options.rule === 'auto' ? ruleOf(options.format, loaded) : options.rule;
  const given = templateRow(row, form, options.format);
  const made = withImagesNamed(row, () => train(rule, loaded, given));
  const losses = lossesOf(row, given, made);
  const messages = messagesOf(row, made, losses);
  const count = (letter: string) => losses.split(letter).length - 1;
  return {
    row: row.view,
    of: row.of,
    rule,
    argumentsForm: form,
    text: made.text,
    starts: made.starts,
    ids: made.ids,
    losses,
    messages,
    trainedTokens: count('t'),
    maskedTokens: count('m'),
    warnings: [...notices(loaded, options, rule, form), ...made.warnings, ...untrained(messages)],
  };
}

/** Most templates are made for texts and stop at images with a reason that does not say so. */
function withImagesNamed(row: TokenRow, work: () => Training): Training {
  try {
    return work();
  } catch (thrown) {
    const pictured = row.messages.findIndex(({ content }) => typeof content !== 'string');
    if (!(thrown instanceof WaymarkError) || thrown.code !== 'refused' || pictured < 0) throw thrown;
    const also = `Message ${pictured + 1} holds images: the template may be made for texts alone.`;
    throw new WaymarkError('refused', `${thrown.message} ${also}`, thrown.detail, { cause: thrown });
  }
}

function formOf({ view }: LoadedTokenizer, { argumentsForm }: TokenOptions): 'string' | 'object' {
  if (argumentsForm !== 'auto') return argumentsForm;
  return view.argumentsForm === 'object' ? 'object' : 'string';
}

/** What the trainer of a format does under a template. */
export function ruleOf(
  format: string,
  loaded: Pick<LoadedTokenizer, 'template' | 'tokenizer' | 'view'>,
): Rule {
  if (format === 'slime') return slimeRule(loaded);
  if (format === 'trl' && loaded.template.hasGenerations) return 'generation';
  return 'turn';
}

/** The mask type to give slime. `turn`: none of them is made for such a template. */
function slimeRule({ tokenizer, view: { family } }: Pick<LoadedTokenizer, 'tokenizer' | 'view'>): Rule {
  if (tokenizer.hasAdded('<\uff5cAssistant\uff5c>')) return 'slime-distill_qwen';
  if (family === 'qwen3.5') return 'slime-qwen3_5';
  if (family === 'qwen3') return 'slime-qwen3';
  return ['qwen2.5', 'chatml', 'qwen3-coder'].includes(family) ? 'slime-qwen' : 'turn';
}

function train(rule: Rule, loaded: LoadedTokenizer, row: TemplateRow): Training {
  switch (rule) {
    case 'slime-qwen':
      return trainQwen(loaded, row);
    case 'slime-qwen3':
      return trainQwen3(loaded, row);
    case 'slime-qwen3_5':
      return trainQwen35(loaded, row);
    case 'slime-distill_qwen':
      return trainDistillQwen(loaded, row);
    case 'generation':
      return trainGenerations(loaded, row);
    case 'turn':
      return trainTurns(loaded, row);
    default:
      return assertNever(rule, 'token rule');
  }
}

const letters: Readonly<Record<TokenMessage['loss'], string>> = {
  trained: 't',
  masked: 'm',
  carried: 'c',
  context: '.',
};

function lossesOf(row: TokenRow, { masks }: TemplateRow, { owner, trained }: Training): string {
  const ofMessage = row.messages.map((_, index) => letters[lossOf(row, index)]);
  const parts: string[] = new Array(owner.length);
  for (let token = 0; token < owner.length; token += 1) {
    const index = owner[token] ?? -1;
    if (trained !== null) {
      const unlearnt = masks[index] === 1 ? '.' : (ofMessage[index] ?? '.');
      parts[token] = trained[token] === 1 ? 't' : unlearnt;
    } else parts[token] = index < 0 ? '.' : (ofMessage[index] ?? '.');
  }
  return parts.join('');
}

function messagesOf(
  row: TokenRow,
  { text, starts, places, owner }: Training,
  losses: string,
): TokenMessage[] {
  const decided = new Map(row.own.map((own) => [own.step, own]));
  const trainedBy = new Map<number, number>();
  for (let token = 0; token < owner.length; token += 1) {
    if (losses[token] !== 't') continue;
    const index = owner[token] ?? -1;
    trainedBy.set(index, (trainedBy.get(index) ?? 0) + 1);
  }
  return row.messages.map((message, index): TokenMessage => {
    const { from = 0, to = 0 } = places[index] ?? {};
    const step = row.steps[index] ?? 0;
    const own = message.role === 'assistant' ? decided.get(step) : undefined;
    return {
      index,
      role: message.role,
      step,
      from,
      to,
      loss: lossOf(row, index),
      ...(own?.source == null ? {} : { source: own.source }),
      ...(own?.reason == null ? {} : { reason: own.reason }),
      trainedTokens: trainedBy.get(index) ?? 0,
      tokens: firstAt(starts, to) - firstAt(starts, from),
      // A prompt may be printed elsewhere, such as before the first message.
      lost: lostParts(message, from === to && message.role !== 'assistant' ? text : text.slice(from, to)),
    };
  });
}

/** First token that starts at this place or behind it. */
function firstAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) >= place) high = middle;
    else low = middle + 1;
  }
  return low;
}

function notices(
  { view, template }: LoadedTokenizer,
  options: TokenOptions,
  rule: Rule,
  form: 'string' | 'object',
): string[] {
  const wanted = view.argumentsForm;
  const other = (wanted === 'object' || wanted === 'string') && wanted !== form;
  return [
    ...(other
      ? [
          `The template wants arguments as ${wanted === 'object' ? 'an object' : 'text'}, but the row holds ${form === 'object' ? 'an object' : 'text'}.`,
        ]
      : []),
    ...(options.format === 'slime' && !(rule satisfies TokenRule).startsWith('slime')
      ? ['slime has no mask type for this template. The tokens are those that the model says itself.']
      : []),
    ...(options.format === 'trl' && !template.hasGenerations
      ? [
          'The template has no {% generation %} block. TRL puts its own template in its place where it knows the model, and stops otherwise.',
        ]
      : []),
  ];
}

function untrained(messages: readonly TokenMessage[]): string[] {
  const silent = messages.filter(({ loss, trainedTokens }) => loss === 'trained' && trainedTokens === 0);
  if (silent.length === 0) return [];
  return [`No token of ${messageList(silent.map(({ index }) => index))} is trained, although no mask is on.`];
}
