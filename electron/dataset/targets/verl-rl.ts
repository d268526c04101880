import { createHash } from 'node:crypto';
import { successAt } from '@shared/runs/outcome';
import type { SegmentPlan } from '../run-plan';
import { DropCounts } from './drop-counts';
import { dropLines } from './drop-lines';
import { ownAnswers, withoutMask } from './own-answers';
import { layout, number, struct, structs, text } from './parquet-columns';
import { plainMessages } from './plain-message';
import type { Target } from './target';

const words = {
  later: 'A segment that does not begin with the task alone',
  again: 'A prompt that is there already, of another run of the task',
};

/** What is remembered of the rows so far: hashes of prompts. */
interface SavedPrompts {
  seen: string[];
  drops: [keyof typeof words, number][];
}

/**
 * Prompts for verl's RLHFDataset: what a run was first asked with, once for each prompt. The reward comes from the task's evaluator,
 * which is a program and not a text, so `ground_truth` names the task and when it is solved.
 */
export const verlRl: Target = {
  format: 'verl-rl',
  title: 'verl, prompts for RL',
  encodings: ['parquet'],
  compressions: ['none'],
  kinds: ['react'],
  untrained: 'keep',
  argumentsForm: 'string',
  repeats: 'never',
  undecided: 'ignored',
  recordsOf: ({ segment }) => (beginsWithTask(segment) ? 1 : 0),
  parquet: layout([
    text('data_source'),
    structs('prompt', [text('role'), text('content')]),
    text('ability'),
    struct('reward_model', [text('style'), text('ground_truth')]),
    struct('extra_info', [
      number('index', 'INT32'),
      text('split'),
      number('need_tools_kwargs', 'BOOLEAN'),
      text('task'),
      text('task_hash'),
      text('run'),
      text('tool_schemas'),
    ]),
  ]),
  begin() {
    const drops = new DropCounts(words);
    let seen = new Set<string>();
    return {
      *records(row) {
        const { plan, messages, tools } = row;
        const { run, task, spec } = plan.run.created;
        const before = messages.slice(0, ownAnswers(row)[0]?.at).map(withoutMask);
        if (
          plan.segment.segment !== 1 ||
          before.some(({ role }) => role === 'assistant' || role === 'tool')
        ) {
          drops.add('later');
          return;
        }
        const prompt = plainMessages(before);
        const toolSchemas = JSON.stringify(tools);
        const key = createHash('sha256')
          .update(JSON.stringify([task.id, task.hash, prompt, toolSchemas]))
          .digest('hex');
        if (seen.has(key)) {
          drops.add('again');
          return;
        }
        const value = {
          data_source: `waymark/${task.id}`,
          prompt,
          ability: task.domain ?? 'agent',
          reward_model: {
            style: 'rule',
            ground_truth: JSON.stringify({
              task: task.id,
              task_hash: task.hash,
              success_at: successAt(spec),
            }),
          },
          extra_info: {
            index: seen.size,
            split: plan.split,
            need_tools_kwargs: false,
            task: task.id,
            task_hash: task.hash,
            run,
            tool_schemas: toolSchemas,
          },
        };
        seen.add(key);
        yield { value, trained: 0 };
      },
      dropped: () => drops.list(),
      save: (): SavedPrompts => ({ seen: [...seen], drops: drops.save() }),
      restore(saved) {
        const before = saved as SavedPrompts;
        seen = new Set(before.seen);
        drops.restore(before.drops);
      },
    };
  },
  readme: (facts) => `\`\`\`sh
python -m verl.trainer.main_ppo \\
  data.train_files=${facts.files.find(({ split }) => split === 'train')?.path ?? 'train.parquet'} \\
  data.prompt_key=prompt data.max_prompt_length=8192 data.return_raw_chat=True \\
  actor_rollout_ref.rollout.multi_turn.enable=True \\
  actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml \\
  custom_reward_function.path=reward.py
\`\`\`

- **The reward is yours to compute.** \`reward_model.ground_truth\` is JSON text with the task, the hash of its package and the points
  from which it counts as solved (\`success_at\`). The task's evaluator gives the points; verl's own reward functions do not
  know \`data_source\` and would stop.
- **Tools** are not read from the rows. Write \`tools.yaml\` from \`extra_info.tool_schemas\`, which holds the schemas as JSON text, and
  one class for each tool.
- **\`data.max_prompt_length\`** is 1,024 tokens by default; longer prompts are dropped without a word
  (\`filter_overlong_prompts\`).
- A prompt is what a run was first asked with, with the line on its budgets, once for each version of a task.
${dropLines(facts.dropped)}`,
  problems({ data_source, prompt, ability, reward_model, extra_info }) {
    const model = (reward_model ?? {}) as Record<string, unknown>;
    const info = (extra_info ?? {}) as Record<string, unknown>;
    const messages = Array.isArray(prompt) ? (prompt as Record<string, unknown>[]) : [];
    return [
      ...(typeof data_source === 'string' && typeof ability === 'string'
        ? []
        : ['data_source or ability is not text']),
      ...(messages.length > 0 && messages.at(-1)?.role === 'user'
        ? []
        : ['prompt does not end with a user message']),
      ...(messages.every(({ role, content }) => typeof role === 'string' && typeof content === 'string')
        ? []
        : ['a message of the prompt has no role or no text']),
      ...(model.style === 'rule' && typeof model.ground_truth === 'string'
        ? []
        : ['reward_model has no style and ground_truth']),
      ...(Number.isInteger(info.index) && typeof info.split === 'string'
        ? []
        : ['extra_info has no index and split']),
    ];
  },
};

/** A later segment begins with a summary or with steps that are carried on, and so does a branch. */
function beginsWithTask({ segment, carried }: SegmentPlan): boolean {
  return segment === 1 && carried.length === 0;
}
