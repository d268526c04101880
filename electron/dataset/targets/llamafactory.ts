import type { DatasetRow } from '../rows';
import { type AnswerStep, answerSteps, LeftOut, refuseImages, rowMessages, sourceText } from './chat-rows';
import { expansionText, trainedSteps } from './prefix-expansion';
import { isObject, parsedJson, textProblems, unknownKeys } from './problem-checks';
import {
  codeBlock,
  datasetName,
  droppedText,
  holdsReasoning,
  noReasoning,
  variantsText,
} from './readme-parts';
import type { DataFile, ExtraFile, Target, TargetFacts } from './target';
import { answerText, callsText, type Exchange, exchangesOf } from './turns';

/** What both formats of LLaMA-Factory's default loader (v0) have in common. */

const infoFile = 'dataset_info.json';

/** As the loader's own `openai` converter joins results of parallel calls; fits templates with `<tool_response>` around them. */
const JOINT = '\n</tool_response>\n<tool_response>\n';

/** The loader's words for the fields of a turn and for who speaks (`data/parser.py`). A turn has these two fields and no other. */
interface FactoryTags {
  role_tag: string;
  content_tag: string;
  user_tag: string;
  assistant_tag: string;
  observation_tag: string;
  function_tag: string;
  system_tag: string;
}

/** What both formats have in common, but for their records and words. */
export const factoryShape = {
  encodings: ['jsonl'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'object',
  repeats: 'rows',
  recordsOf: trainedSteps,
} as const satisfies Partial<Target>;

/** One side of an exchange as the loader's templates take it. */
interface FactoryAnswer {
  calls: boolean;
  text: string;
}

/** All exchanges up to a trained answer, which is the last. */
interface FactoryPrefix {
  exchanges: readonly { asked: Exchange['asked']; text: string; answer: FactoryAnswer }[];
  metadata: string;
  step: AnswerStep | null;
}

/**
 * A row as one conversation for each trained answer: the loader has no mask by message, but trains the last turn only with
 * `mask_history: true`.
 * @throws LeftOut at what the loader would refuse, skip or change; conversations before it were made
 */
export function* factoryPrefixes(row: DatasetRow): Generator<FactoryPrefix> {
  const messages = rowMessages(row);
  const steps = answerSteps(row);
  const exchanges: FactoryPrefix['exchanges'][number][] = [];
  let seen = 0;
  for (const { asked, text, answer, trained, at } of exchangesOf(messages, JOINT)) {
    const until = messages.findIndex((_, index) => index >= seen && messages[index]?.message === answer);
    refuseImages(messages.slice(seen, until), 'LLaMA-Factory loads them from files only');
    seen = until + 1;
    if (asked === 'user' && text.includes('{{idx}}')) {
      throw new LeftOut('A message holds {{idx}}, which LLaMA-Factory replaces by a number');
    }
    exchanges.push({ asked, text, answer: factoryAnswer(answer) });
    const step = steps[at] ?? null;
    if (trained) yield { exchanges: [...exchanges], metadata: sourceText(row, step), step };
  }
}

/**
 * Calls as JSON; beside text they stand in `<tool_call>`, where the loader's function formatter looks for them. `<` inside JSON is
 * escaped: the formatter searches the text for its own tags first.
 */
function factoryAnswer(answer: Exchange['answer']): FactoryAnswer {
  const text = answerText(answer);
  if (answer.tool_calls === undefined) return { calls: false, text };
  if (text.includes('<tool_call>')) {
    throw new LeftOut(
      'The text beside a call holds <tool_call>, which LLaMA-Factory would take for the call',
    );
  }
  const json = callsText(answer).replaceAll('<', '\\u003c');
  return { calls: true, text: text === '' ? json : `${text}\n<tool_call>${json}</tool_call>` };
}

/** The turns of a record: what was asked or observed, and the answer, in turn. */
export function factoryTurns(
  exchanges: FactoryPrefix['exchanges'],
  tags: FactoryTags,
): Record<string, string>[] {
  const turn = (role: string, content: string) => ({ [tags.role_tag]: role, [tags.content_tag]: content });
  return exchanges.flatMap(({ asked, text, answer }) => [
    turn(asked === 'user' ? tags.user_tag : tags.observation_tag, text),
    turn(answer.calls ? tags.function_tag : tags.assistant_tag, answer.text),
  ]);
}

/**
 * What the loader would skip or change in a record's turns. `head`: how many of them, at the beginning, are a system prompt;
 * `where`: the list's name.
 */
export function* turnProblems(
  turns: readonly unknown[],
  tags: FactoryTags,
  { where, head = 0 }: { where: string; head?: number },
): Generator<string> {
  yield* alternationProblems(
    turns.slice(head).map((turn) => (isObject(turn) ? turn[tags.role_tag] : undefined)),
    { even: [tags.user_tag, tags.observation_tag], odd: [tags.assistant_tag, tags.function_tag], where },
  );
  for (const [at, turn] of turns.entries()) {
    if (!isObject(turn)) continue;
    const { [tags.role_tag]: role, [tags.content_tag]: content } = turn;
    const place = `${where}[${at}].${tags.content_tag}`;
    yield* unknownKeys(turn, [tags.role_tag, tags.content_tag], `${where}[${at}]`);
    yield* textProblems(content, place);
    if (role === tags.function_tag) yield* callTurnProblems(content, place);
    if (role === tags.user_tag && String(content).includes('{{idx}}')) {
      yield `${place} holds {{idx}}, which the loader replaces by a number`;
    }
  }
}

/** What the loader's function formatter would raise about a turn with calls. */
function* callTurnProblems(text: unknown, where: string): Generator<string> {
  if (typeof text !== 'string') return;
  const inside = /<tool_call>(.*?)<\/tool_call>/su.exec(text)?.[1] ?? text;
  const parsed = parsedJson(inside);
  const calls: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  for (const call of calls) {
    if (!isObject(call) || typeof call.name !== 'string' || !isObject(call.arguments)) {
      yield `${where} must be the JSON of its calls, or text and then that JSON in <tool_call>`;
      return;
    }
  }
  if (calls.length === 0) yield `${where} holds no call`;
}

/** Roles that must stand at even and at odd places, in words for people. */
function* alternationProblems(
  roles: readonly unknown[],
  { even, odd, where }: { even: readonly string[]; odd: readonly string[]; where: string },
): Generator<string> {
  for (const [at, role] of roles.entries()) {
    const allowed = at % 2 === 0 ? even : odd;
    if (!allowed.includes(String(role))) {
      yield `${where}[${at}] is ${String(role)}, where only ${allowed.join(' or ')} may stand: the loader skips the row`;
    }
  }
  if (roles.length === 0 || roles.length % 2 !== 0)
    yield `${where} must be pairs of a question and an answer`;
}

/** The list of datasets. Every column and tag is named: once one is, the loader sets all others to none. */
export function infoExtra(
  files: readonly DataFile[],
  entry: { formatting: string; columns: Readonly<Record<string, string>>; tags: FactoryTags },
): ExtraFile {
  const list = files.map((file) => [datasetName(file), { file_name: file.path, ...entry }] as const);
  return { path: infoFile, text: `${JSON.stringify(Object.fromEntries(list), null, 2)}\n` };
}

export function factoryReadme(facts: TargetFacts, ownTraps: string): string {
  const { files, plan } = facts;
  const train = files.find(({ split }) => split === 'train') ?? files[0];
  const validation = files.find((file) => file.split === 'validation' && file.variant === train?.variant);
  const thinks = holdsReasoning(plan);
  const config = [
    'model_name_or_path: Qwen/Qwen3-8B',
    `template: ${thinks ? 'qwen3' : 'qwen3_nothink'}`,
    'stage: sft',
    'do_train: true',
    'finetuning_type: full',
    'dataset_dir: .',
    `dataset: ${train === undefined ? 'waymark_train' : datasetName(train)}`,
    ...(validation === undefined ? [] : [`eval_dataset: ${datasetName(validation)}`]),
    'mask_history: true',
    'train_on_prompt: false',
    'cutoff_len: 131072',
    'output_dir: out',
  ];
  return `${codeBlock('yaml', config.join('\n'))}

Save this as \`waymark.yaml\` in this folder and run \`llamafactory-cli train waymark.yaml\` from here.

${expansionText(facts)}

- **\`mask_history: true\` is needed.** Without it every earlier answer trains too, masked or not, and once for each record it is in.
- \`cutoff_len\` is 2,048 unless you set it, and longer records are cut without a word.
- An answer with a call is a turn of its own kind: its text, then its calls as JSON inside \`<tool_call>\`. Templates with other words
  for calls (Gemma 4, LFM2) cannot read text beside a call; GLM-4 takes one call only.
- The loader writes arguments again with Python's spacing. Results of parallel calls are one turn, joined as
  LLaMA-Factory itself does for templates with \`<tool_response>\`; what was said after a result is at the end of that turn.
- Templates with \`tool_format: default\` need \`properties\` in every tool's parameters.
- Text such as \`<image>\` in a tool's result stops a multimodal template; use the text template of the model.
${
  thinks
    ? '- Reasoning is in the text as a `<think>` block. With `mask_history` a reasoning template removes it from all answers but the last, as these models do at inference, and puts an empty, trained block before answers without any.'
    : `- ${noReasoning(plan)} A reasoning template would put an empty block before each answer and train it; the template above does not.`
}
${ownTraps}
- \`metadata\` is JSON text that says where the record is from. The loader ignores it.
${variantsText(files)}${droppedText(facts)}`;
}
