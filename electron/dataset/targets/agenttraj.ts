import { countMasks, type RowPlan, variantPlan } from '../plan';
import type { DatasetRow } from '../rows';
import {
  checked,
  countTrained,
  LeftOut,
  recordMaker,
  refuseImages,
  refuseUntrained,
  rowMessages,
  toolsText,
  upToLastAnswer,
} from './chat-rows';
import { isObject, type Json, textProblems, unknownKeys } from './problem-checks';
import { codeBlock, droppedText, firstFile, variantsText } from './readme-parts';
import type { Target, TargetFacts, TargetRecord } from './target';
import { answerText, callsText, type Exchange, exchangesOf, systemText } from './turns';

/**
 * AgentGym's AgentTraj: one JSON array of `{item_id, conversations}`, turns of a person and of the model in turn, `loss` null on
 * the first and true or false on the second. All is text: the system prompt and the tools are in the first turn, calls in the
 * form "Thought: … Action: …" of AgentGym's ReAct format.
 */
export const agenttrajTarget: Target = {
  format: 'agenttraj',
  title: 'AgentGym (AgentTraj)',
  encodings: ['array'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'object',
  repeats: 'rows',
  begin: ({ plan, variant }) => {
    const places = new Map(variantPlan(plan, variant).rows.map((row, at) => [keyOf(row), at]));
    return recordMaker('row', (row) => [recordOf(row, places.get(keyOf(row.plan)) ?? 0)]);
  },
  readme,
  problems: (value) => [...problemsOf(value)],
};

const keyOf = ({ run, segment, kind }: RowPlan) => `${run.created.run} ${segment.segment} ${kind}`;

/** Environment, `_`, and the row's place in the plan: AgentGym splits at `_` and reads the last piece as a number. */
function itemId(task: string, place: number): string {
  return `${task.replace(/[^A-Za-z0-9.-]+/g, '-')}_${place}`;
}

function recordOf(row: DatasetRow, place: number): TargetRecord {
  const messages = upToLastAnswer(rowMessages(row));
  refuseUntrained(messages);
  refuseImages(messages, 'AgentTraj holds text only');
  const conversations: Json[] = [];
  for (const { text, answer, trained, at } of exchangesOf(messages, '\n\n')) {
    const head = at === 0 ? headText(row, systemText(messages)) : '';
    conversations.push(
      { from: 'human', loss: null, value: head + text },
      { from: 'gpt', loss: trained, value: actionText(answer) },
    );
  }
  if (conversations.length === 0) throw new LeftOut('The row has no answer');
  const value = { item_id: itemId(row.plan.run.created.task.id, place), conversations };
  return checked({ value, trained: countTrained(messages) }, agenttrajTarget.problems);
}

function headText(row: DatasetRow, system: string): string {
  const tools =
    row.tools.length === 0
      ? ''
      : `You can use these tools, given as JSON:\n${(JSON.parse(toolsText(row)) as unknown[]).map((tool) => JSON.stringify(tool)).join('\n')}`;
  return [system, tools]
    .filter((text) => text !== '')
    .map((text) => `${text}\n\n`)
    .join('');
}

function actionText(answer: Exchange['answer']): string {
  const text = answerText(answer);
  if (answer.tool_calls === undefined) return text;
  return `${text === '' ? '' : `Thought:\n${text}\n\n`}Action:\n${callsText(answer)}`;
}

function* problemsOf(value: Json): Generator<string> {
  yield* unknownKeys(value, ['item_id', 'conversations'], '');
  if (typeof value.item_id !== 'string' || !/^[^_]+_\d+$/u.test(value.item_id)) {
    yield 'item_id must be a name without _, then _ and a number';
  }
  const { conversations } = value;
  if (!Array.isArray(conversations) || conversations.length === 0) {
    yield 'conversations must be a list that is not empty';
    return;
  }
  let trains = false;
  for (const [at, turn] of conversations.entries()) {
    const where = `conversations[${at}]`;
    if (!isObject(turn)) {
      yield `${where} must be an object`;
      continue;
    }
    yield* unknownKeys(turn, ['from', 'loss', 'value'], where);
    yield* textProblems(turn.value, `${where}.value`);
    if (turn.from !== (at % 2 === 0 ? 'human' : 'gpt')) yield `${where}.from must be human and gpt in turn`;
    if (turn.from === 'human' ? turn.loss !== null : typeof turn.loss !== 'boolean') {
      yield `${where}.loss must be null for human and true or false for gpt`;
    }
    trains ||= turn.from === 'gpt' && turn.loss === true;
  }
  if (conversations.length % 2 !== 0) yield 'conversations must end with gpt';
  if (!trains) yield 'no turn is trained';
}

function readme(facts: TargetFacts): string {
  const train = firstFile(facts.files) ?? 'train.json';
  const { masked } = countMasks(variantPlan(facts.plan).rows);
  return `${codeBlock(
    'sh',
    `cd AgentGym/agentenv/examples/behavioral_cloning
accelerate launch train_behavioral_clone.py \\
  --train_file /path/to/${train} --inference_file ids.json --test_file ids.json \\
  --model_train_path meta-llama/Llama-2-7b-chat-hf --model_save_path out --max_input_length 32768`,
  )}

- **AgentGym's own trainer (\`bc_trainer.py\`) ignores \`loss\` and trains every \`gpt\` turn**, the ${masked} masked steps and all carried ones
  included. \`loss\` counts where its chat templates make the \`action_mask\` (evaluation, AgentEvol). Where masks matter, export another
  format, or export successful runs only.
- \`bc_trainer.py\` cuts at \`max_input_length\` and writes Llama 2's \`[INST]\` around each turn, whatever the model.
- \`item_id\` is the task and the row's place in the dataset. AgentEvol keeps one record for each \`item_id\`, so every row has its own.
- The first turn holds the system prompt, the tools as JSON and the task. An answer with calls is \`Thought:\`, its text, \`Action:\` and
  the call as JSON (a list where there are several). Results of tools are the next \`human\` turn.
${
  facts.plan.preset.reasoning === 'drop'
    ? '- The records hold no reasoning (`--reasoning drop`).'
    : '- Reasoning stands before the text as a `<think>` block: the format has no field for it. `--reasoning drop` leaves it out.'
}
${variantsText(facts.files)}${droppedText(facts)}`;
}
