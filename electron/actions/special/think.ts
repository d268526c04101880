import { type ActionDefinition, done, failed } from '../action';

/** A place for reasoning between actions; nothing outside the log changes. */
export const think: ActionDefinition = {
  name: 'think',
  // The paper's `null_action` performs nothing and says so (appendix F.6).
  aliases: ['null'],
  family: 'special',
  description: 'Records a thought of up to 200 characters; runs nothing.',
  params: [
    {
      name: 'thought',
      // The paper's `think_action(action)` takes the action itself, an object with the thought in it.
      aliases: ['action'],
      meant: thoughtOf,
      type: 'string',
      default: '',
      emptyIsValue: true,
      note: 'The thought.',
    },
  ],
  run: async (args) => done('Noted. Now act on it.', { thought: args.text('thought') }),
};

function thoughtOf(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  return 'thought' in raw ? raw.thought : null;
}

/** Shows the benchmark's hint, at its price. */
export const viewHint: ActionDefinition = {
  name: 'view_hint',
  family: 'special',
  description: (task) =>
    `Shows the task hint. ${
      task.taskHint.penalty > 0
        ? `From then on ${task.taskHint.penalty} points are taken off every score.`
        : 'It costs nothing.'
    }`,
  // As the paper has it: the action itself, which says nothing.
  params: [{ name: 'action', type: 'string', ignored: true, description: 'Without effect.' }],
  async run(_args, env) {
    const { text, penalty } = env.task.taskHint;
    if (text.trim() === '')
      return failed('not_found', 'This task has no hint; nothing is taken off your score.');
    const again = env.facts.hintSeen ? ' You have seen it before; the penalty applies only once.' : '';
    const price =
      penalty > 0 ? `${penalty} points are taken off every score from now on.${again}` : 'It costs nothing.';
    return done(`Task hint. ${price}\n${text}`, { penalty });
  },
};

/** Ends the run. */
export const finish: ActionDefinition = {
  name: 'finish',
  family: 'special',
  description: 'Ends the run with a final evaluation. This cannot be undone.',
  params: [],
  run: async () => ({ ...done('The run ends here; the final evaluation follows.'), ends: 'finish' }),
};
