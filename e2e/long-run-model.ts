import type { ScriptedRequest } from '../electron/model/scripted-answer';
import { type ScriptedModel, startScriptedModel } from '../electron/model/scripted-server';
import { withSummaries } from '../electron/model/scripted-summary';

const session = 'main';
/** Makes each step take its share of the context. */
const musing =
  'The counts are compared with the notes of the run before, line by line, and nothing is left out. ';

/** A model that works on the small task step by step, and waits at chosen steps until the test lets it answer. */
export interface PacedModel extends ScriptedModel {
  /** Resolves when the model is asked for a step at which it waits. */
  reached(step: number): Promise<void>;
  letOn(step: number): void;
  /** When each of its steps was answered, wall-clock ms. */
  answered: ReadonlyMap<number, number>;
}

export async function startPacedModel(gates: readonly number[]): Promise<PacedModel> {
  const waiting = new Map(gates.map((step) => [step, gate()]));
  const answered = new Map<number, number>();
  const server = await startScriptedModel({
    policy: withSummaries(async (request) => {
      const step = nextStep(request);
      const own = waiting.get(step);
      own?.reach();
      await own?.opened;
      answered.set(step, Date.now());
      return { text: `Step ${step}. ${musing.repeat(4)}`, calls: [action(step)] };
    }),
  });
  const at = (step: number) => {
    const own = waiting.get(step);
    if (own === undefined) throw new Error(`The model does not wait at step ${step}.`);
    return own;
  };
  return { ...server, answered, reached: (step) => at(step).reached, letOn: (step) => at(step).open() };
}

function action(step: number): { name: string; arguments: Record<string, unknown> } {
  if (step === 1) return { name: 'create_session', arguments: { session_id: session } };
  const command = step === 2 ? 'seq 8 > data/outputs/answer.txt' : `echo counted ${step} >> notes.txt`;
  return step === 2 || step % 10 === 0
    ? { name: 'run_command', arguments: { command, session_id: session, wait_for_completion: true } }
    : { name: 'think', arguments: { thought: `${step}: ${musing}` } };
}

/** One more than the latest step that stands in the context. */
function nextStep({ messages }: ScriptedRequest): number {
  const said = messages.flatMap(({ role, content }) =>
    role === 'assistant' ? [/^Step (\d+)\./u.exec(content)] : [],
  );
  return 1 + Math.max(0, ...said.map((match) => Number(match?.[1] ?? 0)));
}

function gate() {
  let reach: () => void = () => undefined;
  let open: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { reached, opened, reach, open };
}
