import { WaymarkError } from '@shared/contract/errors';
import type { NewRun } from '../runs/start/create-run';
import { type Arguments, oneOf } from './arguments';
import type { CliContext } from './context';

type Consent = Pick<NewRun, 'isolation' | 'agreed'>;

/** As the system's question in the window says it (`electron/app/dialogs.ts`). */
const reach = [
  'read, change and delete all your files',
  'read keys and passwords that programs store there, such as your ssh keys',
  'see and end your programs, and use your ssh agent and your desktop',
  'change other runs, the log and the evaluator of this workspace',
  'use the network, whatever the task says',
];

/**
 * Does what starts a run. Where it would not be isolated, a person at the terminal is asked; without a terminal it is refused.
 * `--isolation none` wants it so and is the consent. @throws WaymarkError not_isolated, cancelled
 */
export async function unlessUnisolated<T>(
  context: CliContext,
  args: Arguments,
  work: (consent: Consent) => Promise<T>,
): Promise<T> {
  const isolation = wished(args);
  if (isolation === 'none') return work({ isolation, agreed: 'person' });
  try {
    return await work({ isolation });
  } catch (thrown) {
    await ask(context, thrown);
  }
  return work({ isolation, agreed: 'person' });
}

/** Whether a person agreed just now that the run goes on without isolation; false when nobody has to be asked. */
export async function agreedToGoOn(context: CliContext, args: Arguments, run: string): Promise<boolean> {
  if (wished(args) === 'none') {
    await refuseIsolated(context, args, run);
    return true;
  }
  try {
    await context.engine.refuseUnasked(run);
    return false;
  } catch (thrown) {
    await ask(context, thrown);
    return true;
  }
}

/** A run that is isolated stays so: who asks for something else is told. @throws WaymarkError bad_input */
export async function refuseIsolated(context: CliContext, args: Arguments, run: string): Promise<void> {
  if (wished(args) !== 'none' || args.values.all) return;
  const { computers } = await context.reader.run(run);
  if (!computers.some(({ isolation }) => isolation !== undefined)) return;
  throw new WaymarkError(
    'bad_input',
    `Run ${run} is isolated, and it and its branches stay isolated. Leave out --isolation none, or start a new run with it.`,
  );
}

function wished({ values }: Arguments): 'sandbox' | 'none' {
  return oneOf(values.isolation, ['sandbox', 'none'], 'sandbox', '--isolation');
}

/** Resolves when the person says yes. @throws what was thrown, or WaymarkError cancelled */
async function ask({ prompts, terminal }: CliContext, thrown: unknown): Promise<void> {
  if (!(thrown instanceof WaymarkError) || thrown.code !== 'not_isolated') throw thrown;
  const lines = [
    "The agent's commands would not be isolated from the rest of this computer. They run under your account. They can",
    ...reach.map((way) => `  - ${way}`),
    ...(thrown.detail === undefined || thrown.detail === '' ? [] : [`Why: ${thrown.detail}`]),
  ];
  const answer = await prompts.confirm(() => {
    for (const line of lines) terminal.err(line);
    return 'Continue without isolation?';
  });
  if (answer === null) throw thrown;
  if (!answer) throw new WaymarkError('cancelled', 'The run was not started without isolation.');
}
