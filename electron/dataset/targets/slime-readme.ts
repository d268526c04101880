import type { RowReasoning } from '@shared/context/trajectory';
import type { TargetFacts } from './target';

/** How slime reads the files, what of them would go wrong silently, and every field. */
export function slimeReadme({ plan, files, argumentsForm, compression }: TargetFacts): string {
  const { preset } = plan;
  const first = files.find(({ split }) => split === 'train') ?? files[0];
  const plain = (first?.path ?? 'train.jsonl').replace(/\.(?:gz|zst)$/, '');
  return `${unpack[compression]}\`\`\`sh
${slimeCommand(plain, preset.name === 'apollo')}
\`\`\`

Give the model, parallelism and checkpoint arguments of your own slime script as well. Do not pass \`--apply-chat-template\`.

- **\`--loss-mask-type\` must be given.** slime's default, \`qwen\`, renders each message alone and silently drops every
  \`<think>\` block under the Qwen3 template. \`qwen3\` reproduces the tokens of the whole conversation; use
  \`qwen3_5\` for Qwen3.5. \`distill_qwen\` reads the first and the last message only and is wrong for these rows.
- **\`qwen3\` trains an empty \`<think>\` block** on every trained step without reasoning: rendered alone, each answer stands
  after the last user message, where the Qwen3 template writes \`<think>\\n\\n</think>\\n\\n\` before it. The model was
  not sampled so unless its thinking was off.
- **GLM-4.5** has no end-of-turn token: the \`<|observation|>\` or \`<|user|>\` that follows a step is the first token of a
  message without loss, so the model never learns to end its turn (slime issue 514). slime has no mask type of its own
  for it; train the following token as well in your mask generator.
- ${argumentsNote[argumentsForm]}
- slime skips a line that is not valid JSON with a printed warning. Compare the sha256 of the data files with the manifest
  first.

## Fields

| field | meaning |
|---|---|
| \`messages\` | byte for byte what the model was sent when it gave the last answer of one segment, then that answer and what came after it: system prompt, task, perhaps a summary, steps, each with the line on its budgets; or one summary turn with its own prompt |
| \`messages[].step_loss_mask\` | on every assistant message: 1 = its tokens get loss, 0 = context only. Other roles never get loss |
| \`messages[].tool_calls[].function.arguments\` | ${argumentsField[argumentsForm]} |
${reasoningField[preset.reasoning]}| \`tools\` | the tools in force, as a list of OpenAI function schemas; of an imported run those that its program is known to offer, where the log does not hold them (the manifest says so) |
| \`metadata.source_name\` | \`waymark\` |
| \`metadata.kind\` | \`react\`: a segment; \`summary\`: the turn in which the model summarised it, where only that answer trains |
| \`metadata.run\`, \`segment\` | where the row comes from |
| \`metadata.task\`, \`task_hash\`, \`model\` | the pinned task and the model that was sampled; a step by another model names it in \`steps\` |
| \`metadata.score\`, \`best_score\` | final (else last) and best score of the run, 0 to 100; absent when it was never scored |
| \`metadata.evaluator_isolated\` | \`false\`: the agent's commands could have reached the evaluator, so a score may have been helped |
| \`metadata.protected_changed\` | in how many \`evaluations\` files were found changed that the task protects, and the first \`paths\`: a score may have been helped. Absent: in none |
| \`metadata.steps[]\` | \`step\` number in the run, its global \`id\`, its \`mask\`, who decided (\`source\`: adjudication, human, rule, judge; absent = nobody) and the \`reason\` (a person's initials, with what they wrote in \`given_reason\`) |
| \`metadata.experiment\`, \`arm\`, \`group\`, \`sample\`, \`seed\` | what the run was made for, where it was said |
| \`metadata.not_as_sent[]\` | messages (places from 0) that the requests behind \`steps\` held otherwise, and \`why\`: \`shortened\` later because the context was full, \`reasoning\` or \`images\` sent or not (any more), \`line\` on the budgets that stood in that one request. Absent: every step was asked with exactly these messages |
| \`metadata.refused[]\` | of a summary: answers that could not be used and were not sent back, each with what the summariser was then told (\`told\`, found in the last message of its prompt) |
${plain.endsWith('.parquet') ? parquetNote : ''}
What people wrote to the agent while it worked stands inside \`<real_user>\` in tool or user messages. Nothing else can: the
tag is escaped wherever a tool or the model wrote it.
`;
}

const unpack: Readonly<Record<TargetFacts['compression'], string>> = {
  none: '',
  gzip: 'slime reads `.jsonl` and `.parquet` only. Unpack the files first: `gunzip -r -k .`\n\n',
  zstd: 'slime reads `.jsonl` and `.parquet` only. Unpack the files first: `find . -name "*.zst" -exec unzstd -k {} +`\n\n',
};

const argumentsNote: Readonly<Record<TargetFacts['argumentsForm'], string>> = {
  string:
    '**Arguments of calls are text.** slime hands them to the chat template as they are. The templates of Qwen3 and DeepSeek V3 take text; those of Qwen3.5 and GLM-4.5 stop at it, and those of Qwen2.5 and gpt-oss encode it a second time. For these export again with `--arguments object`.',
  object:
    '**Arguments of calls are objects.** slime hands them to the chat template as they are. The templates of Qwen3.5, GLM-4.5, Qwen2.5 and gpt-oss want objects and that of Qwen3 takes them; that of DeepSeek V3 stops at them. For it export again with `--arguments string`.',
};

const argumentsField: Readonly<Record<TargetFacts['argumentsForm'], string>> = {
  string: "the model's own JSON text, byte for byte (a string, not an object)",
  object:
    "what the model's JSON text means, as an object: spaces of its own and the form of numbers (`1.0`) are not kept",
};

const reasoningField: Readonly<Record<RowReasoning, string>> = {
  'as-sent':
    '| `messages[].reasoning_content` | the reasoning of the step, only where the requests held it; templates that know it render it as a `<think>` block |\n',
  drop: '',
  keep: '| `messages[].reasoning_content` | the reasoning of every step that has some (`--reasoning keep`). **Warning:** where `metadata.not_as_sent` says `reasoning`, the model was not sent it, so these steps were sampled from other prompts |\n',
};

const parquetNote = `
In Parquet, \`step_loss_mask\` is an INT32 that cannot be null and stands on every message, \`tools\` is JSON text, which slime
decodes, and \`metadata\` holds \`source_name\`, \`kind\`, \`run\`, \`segment\`, \`task\` and, as JSON text in \`json\`, all of the fields above.
`;

/** Arguments of slime's SFT rollout; the paper preset adds APOLLO's training settings. */
function slimeCommand(file: string, paper: boolean): string {
  const lines = [
    'python train.py',
    `--prompt-data ${file} --input-key messages --tool-key tools --metadata-key metadata`,
    '--rollout-function-path slime.rollout.sft_rollout.generate_rollout',
    '--loss-type sft_loss --calculate-per-token-loss --disable-compute-advantages-and-returns --debug-train-only',
    '--loss-mask-type qwen3',
  ];
  if (paper) {
    lines.push(
      '--rollout-shuffle --num-epoch 1 --rollout-batch-size 64 --global-batch-size 64',
      '--lr 5e-6 --min-lr 1e-6 --lr-decay-style cosine --seq-length 131072',
    );
  }
  return lines.join(' \\\n  ');
}
