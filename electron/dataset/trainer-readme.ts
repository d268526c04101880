import type { RowReasoning } from '@shared/context/trajectory';
import { countLines, countMasks, type ExportPlan } from './export-plan';
import type { ExportRequest } from './export-request';
import { slimeFile } from './exporters/slime';

/** What a person who trains on the dataset has to know; written beside the data. */
export function trainerReadme(plan: ExportPlan, request: ExportRequest): string {
  const { trained, masked } = countMasks(plan.rows);
  const { preset } = plan;
  const rows = countLines(plan);
  return `# Agent trajectories for slime

${rows} ${rows === 1 ? 'row' : 'rows'} in \`${slimeFile}\`, ${trained} ${trained === 1 ? 'step' : 'steps'} trained, ${masked} masked. Label snapshot \`${plan.snapshot}\`.
\`manifest.json\` says what the rows were made from, what was left out and why, and holds the sha256 of every file.

## Load

\`\`\`sh
${slimeCommand(preset.name === 'apollo')}
\`\`\`

Give the model, parallelism and checkpoint arguments of your own slime script as well. Do not pass \`--apply-chat-template\`.

- **\`--loss-mask-type\` must be given.** slime's default, \`qwen\`, renders each message alone and silently drops every
  \`<think>\` block under the Qwen3 template. \`qwen3\` reproduces the tokens of the whole conversation; use
  \`qwen3_5\` for Qwen3.5. \`distill_qwen\` reads the first and the last message only and is wrong for these rows.
- **GLM-4.5** has no end-of-turn token: the \`<|observation|>\` or \`<|user|>\` that follows a step is the first token of a
  message without loss, so the model never learns to end its turn (slime issue 514). slime has no mask type of its own
  for it; train the following token as well in your mask generator.
- slime skips a line that is not valid JSON with a printed warning. Compare the sha256 of \`${slimeFile}\` with the manifest
  first.

## Fields

| field | meaning |
|---|---|
| \`messages\` | byte for byte what the model was sent when it gave the last answer of one segment, then that answer and what came after it: system prompt, task, perhaps a summary, steps, each with the line on its budgets; or one summary turn with its own prompt |
| \`messages[].step_loss_mask\` | on every assistant message: 1 = its tokens get loss, 0 = context only. Other roles never get loss |
| \`messages[].tool_calls[].function.arguments\` | the model's own JSON text, byte for byte (a string, not an object) |
${reasoningField[preset.reasoning]}| \`tools\` | the tools in force, as a list of OpenAI function schemas; of an imported run those that its program is known to offer, where the log does not hold them (the manifest says so) |
| \`metadata.source_name\` | \`waymark\` |
| \`metadata.kind\` | \`react\`: a segment; \`summary\`: the turn in which the model summarised it, where only that answer trains |
| \`metadata.run\`, \`segment\` | where the row comes from |
| \`metadata.task\`, \`task_hash\`, \`model\` | the pinned task and the model that was sampled; a step by another model names it in \`steps\` |
| \`metadata.score\`, \`best_score\` | final (else last) and best score of the run, 0 to 100; absent when it was never scored |
| \`metadata.evaluator_isolated\` | \`false\`: the agent's commands could have reached the evaluator, so a score may have been helped |
| \`metadata.protected_changed\` | in how many \`evaluations\` files were found changed that the task protects, and the first \`paths\`: a score may have been helped. Absent: in none |
| \`metadata.steps[]\` | \`step\` number in the run, its global \`id\`, its \`mask\`, who decided (\`source\`: adjudication, human, rule, judge; absent = waived) and the \`reason\` (a person's initials, with what they wrote in \`given_reason\`) |
| \`metadata.experiment\`, \`arm\`, \`group\`, \`sample\`, \`seed\` | what the run was made for, where it was said |
| \`metadata.not_as_sent[]\` | messages (places from 0) that the requests behind \`steps\` held otherwise, and \`why\`: \`shortened\` later because the context was full, \`reasoning\` or \`images\` sent or not (any more), \`line\` on the budgets that stood in that one request. Absent: every step was asked with exactly these messages |
| \`metadata.refused[]\` | of a summary: answers that could not be used and were not sent back, each with what the summariser was then told (\`told\`, which stands in the last message of its prompt) |

What people wrote to the agent while it worked stands inside \`<real_user>\` in tool or user messages. Nothing else can: the
tag is escaped wherever a tool or the model wrote it.

## What is in it

- A step trains in the one row of the segment it was sampled in${preset.carried === 'paper' ? ', and in rows that carry it on (`carried: paper`)' : '; wherever else it stands its mask is 0'}.
- Rows without a trained step are left out: slime would build a corrupt sample from them.
- ${waiverLine(request, plan)}
${preset.repeat.react > 1 ? `- A segment's row stands ${preset.repeat.react} times in the file, a summary's ${preset.repeat.summary} times (APOLLO upsampling); rows over ${preset.maxTokens} estimated tokens are left out.\n` : ''}`;
}

const reasoningField: Readonly<Record<RowReasoning, string>> = {
  'as-sent':
    '| `messages[].reasoning_content` | the reasoning of the step, only where the requests held it; templates that know it render it as a `<think>` block |\n',
  drop: '',
  keep: '| `messages[].reasoning_content` | the reasoning of every step that has some (`--reasoning keep`). **Warning:** where `metadata.not_as_sent` says `reasoning`, the model was not sent it, so these steps were sampled from other prompts |\n',
};

function waiverLine(request: ExportRequest, plan: ExportPlan): string {
  const steps = plan.undecided.reduce((sum, run) => sum + run.steps.length, 0);
  if (request.undecided === 'refuse')
    return 'Every step was decided by a person or a rule; nothing was waived.';
  const what = request.undecided === 'train' ? 'trained' : 'masked';
  return `${steps} undecided steps were waived by name and are ${what} (\`--undecided ${request.undecided}\`); the manifest lists them.`;
}

/** Arguments of slime's SFT rollout; the paper preset adds APOLLO's training settings. */
function slimeCommand(paper: boolean): string {
  const lines = [
    'python train.py',
    `--prompt-data ${slimeFile} --input-key messages --tool-key tools --metadata-key metadata`,
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
