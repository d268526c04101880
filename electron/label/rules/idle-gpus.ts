import type { RunEvent } from '@shared/log/events';
import { type CommandFact, configsOf, sameFile } from '../command-facts';
import { computingIn } from '../computing';
import { anyOf, type EventFacts, type Finding, listOf, numberOf, rule } from '../rule';

/**
 * The GPUs that a command or script names for itself; null when it says nothing. `CUDA_VISIBLE_DEVICES`, DeepSpeed's
 * `--include`, and counts of processes, which stand for the first so many.
 */
function givenGpus(text: string): number[] | null {
  // Nearly no text names any; what a comment leaves of a line cannot make such a word.
  if (!/CUDA_VISIBLE_DEVICES|--(?:include|nproc|num)/.test(text)) return null;
  const code = text.replace(/^\s*#.*$/gm, '');
  const visible = /CUDA_VISIBLE_DEVICES["']?\]?\s*=\s*["']?(\d+(?:\s*,\s*\d+)*)/.exec(code)?.[1];
  if (visible !== undefined) return numbers(visible);
  const included = /--include[= ]["']?[\w.-]+:(\d+(?:,\d+)*)/.exec(code)?.[1];
  if (included !== undefined) return numbers(included);
  const count = /--(?:nproc[_-]per[_-]node|num[_-]processes|num[_-]gpus)[= ](\d+)/.exec(code)?.[1];
  return count === undefined
    ? null
    : Array.from({ length: Math.min(64, Number(count)) }, (_, index) => index);
}

function numbers(list: string): number[] {
  return list.split(',').map((part) => Number.parseInt(part, 10));
}

interface Launch {
  step: number;
  computer: string;
  place: string;
  /** GPUs that are put to work, by this job and beside it. */
  busy: Set<number>;
  /** How many this one was given. */
  given: number;
  /** Steps that said so. */
  steps: number[];
}

interface FileSays {
  gpus: number[] | null;
  lora: boolean;
  steps: number[];
}

const FILES = 500;

/** GPUs that another of the agent's jobs takes, or that somebody else holds, are not idle; a trial run may be small. */
export const idleGpus = rule({
  id: 'idle-gpus',
  version: 3,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'Training uses fewer GPUs than the computer has, or adapters where all weights could be trained.',
  citation:
    'APOLLO appendix E, priority 6 (LoRA or part of CUDA_VISIBLE_DEVICES where the task gives the GPUs for more)',
  parameters: {
    training_commands: ['\\btrain', '\\bfinetun', '\\btorchrun\\b', '\\bsft\\b', '\\bgrpo\\b'],
    /** All weights can be trained: adapters leave what is there unused. */
    full_training: false,
    /** Expressions for runs that only try something out. */
    trial: [
      '--?max[_-](?:steps|samples|train[_-]samples)[= ]\\d{1,2}\\b',
      'smoke',
      'debug',
      'dry[_-]?run',
      'sanity',
      'overfit',
      'profil',
    ],
    /** Steps in which another job may still take the GPUs that are left. */
    grace_steps: 5,
    /** MB in use from which a GPU counts as somebody else's. */
    taken_mb: 10_000,
  },
  hears: ['gpu.changed', 'action.observed', 'run.status'],
  start: (task, parameters) => {
    const trains = anyOf(listOf(parameters, 'training_commands'));
    const isTrial = anyOf(listOf(parameters, 'trial'));
    const fullTraining = parameters.full_training === true;
    const grace = numberOf(parameters, 'grace_steps');
    const takenMb = numberOf(parameters, 'taken_mb');
    const files = new Map<string, FileSays>();
    /** `export CUDA_VISIBLE_DEVICES=…`, by session. */
    const exported = new Map<string, { gpus: number[]; step: number }>();
    const foreign = new Map<string, Set<number>>();
    let launches: Launch[] = [];
    /** GPUs by computer, as the task says or as was measured. */
    const gpus = new Map(task.gpus);

    return (event, facts) => {
      const found: Finding[] = [];
      if (event.kind === 'gpu.changed' && !task.gpus.has(event.body.computer))
        gpus.set(event.body.computer, event.body.gpus.length);
      if (event.kind === 'gpu.changed' && facts.jobs.length === 0) {
        const held = event.body.gpus.filter(({ memoryUsedMb }) => memoryUsedMb > takenMb);
        foreign.set(event.body.computer, new Set(held.map(({ index }) => index)));
      }
      for (const write of facts.writes) note(write.path, write.step, write.text ?? write.added);
      // First what has ended: a job that is started once another is over does not run beside it.
      found.push(...settle(event, facts));
      if (facts.command !== null) found.push(...launch(facts.command, facts));
      return found;
    };

    function note(path: string, step: number, text: string): void {
      if (!/\.(?:py|sh|bash|ya?ml|json|toml)$/.test(path)) return;
      const gpus = givenGpus(text);
      const lora = usesAdapters(text);
      if (gpus === null && !lora) {
        files.delete(path);
        return;
      }
      files.set(path, { gpus, lora, steps: [...(files.get(path)?.steps ?? []), step].slice(-8) });
      const oldest = files.keys().next().value;
      if (files.size > FILES && oldest !== undefined) files.delete(oldest);
    }

    function launch(command: CommandFact, { jobs }: EventFacts): Finding[] {
      const { step, text, place, computer } = command;
      if (command.looksOnly && !text.includes('CUDA_VISIBLE_DEVICES')) return [];
      const named = givenGpus(text);
      if (/\bunset\s+CUDA_VISIBLE_DEVICES/.test(text)) exported.delete(place);
      else if (named !== null && /\bexport\s+CUDA_VISIBLE_DEVICES=/.test(text))
        exported.set(place, { gpus: named, step });
      const own = saidBy(command);
      const script = own.find(({ gpus }) => gpus !== null);
      const session = exported.get(place);
      const taken = named ?? script?.gpus ?? session?.gpus ?? null;
      for (const other of command.looksOnly ? [] : launches) {
        if (other.computer === computer) for (const index of taken ?? []) other.busy.add(index);
      }
      // Nothing is said of what takes what there is.
      if (taken === null && !fullTraining) return [];
      const training = computingIn(command.simples, trains).length > 0 || scriptsTrain(command);
      if (!training || isTrial(text)) return [];
      const adapters = own.filter(({ lora }) => lora).flatMap(({ steps }) => steps);
      if (fullTraining && (adapters.length > 0 || usesAdapters(text))) {
        const why = 'Trains adapters although all weights can be trained.';
        const tied = [...new Set(adapters)].filter((each) => each < step).sort((a, b) => a - b);
        return [
          { step, why, steps: tied },
          ...tied.map((each) => ({
            step: each,
            why: 'Sets up the training of adapters only.',
            steps: [step],
          })),
        ];
      }
      if (taken === null) return [];
      const busy = new Set([...taken, ...(foreign.get(computer) ?? [])]);
      for (const job of jobs) {
        if (job.computer === computer && job.command.place !== place)
          for (const index of givenGpus(job.command.text) ?? everyGpu(computer)) busy.add(index);
      }
      const steps = named !== null ? [] : (script?.steps ?? (session ? [session.step] : []));
      launches = [...launches, { step, computer, place, busy, given: taken.length, steps }].slice(-16);
      return [];
    }

    /** What files that it runs or reads say. */
    function saidBy(command: CommandFact): FileSays[] {
      if (files.size === 0) return [];
      return [...command.scripts, ...configsOf(command)].flatMap((each) =>
        [...files].filter(([path]) => sameFile(path, each)).map(([, says]) => says),
      );
    }

    function settle(event: RunEvent, { jobs }: EventFacts): Finding[] {
      if (launches.length === 0) return [];
      const ended = event.kind === 'run.status' && event.body.status !== 'running';
      const step = event.kind === 'action.observed' ? event.body.step : null;
      const over = (each: Launch) =>
        ended ||
        (step !== null &&
          step > each.step &&
          (step >= each.step + grace || !jobs.some(({ command }) => command.place === each.place)));
      const done = launches.filter(over);
      if (done.length === 0) return [];
      launches = launches.filter((each) => !done.includes(each));
      return done.flatMap((each) => {
        const total = gpus.get(each.computer) ?? 0;
        if (total <= each.busy.size || each.given >= total) return [];
        const tied = each.steps.filter((one) => one < each.step);
        const left = total - each.busy.size;
        return [
          {
            step: each.step,
            why: `Trains on ${each.given} of the ${total} GPUs of ${each.computer}; ${left} stay idle.`,
            steps: tied,
          },
        ];
      });
    }

    function scriptsTrain(command: CommandFact): boolean {
      return command.scripts.some(trains);
    }

    function everyGpu(computer: string): number[] {
      return Array.from({ length: gpus.get(computer) ?? 0 }, (_, index) => index);
    }
  },
});

const ADAPTERS =
  /finetuning_type["']?\s*[:= ]\s*["']?(?:lora|qlora|oft)\b|\bLoraConfig\s*\(|\bget_peft_model\s*\(|--use[_-](?:peft|lora)\b|\buse_peft\s*[:=]\s*[Tt]rue|--lora[_-](?:r|rank|alpha)\b|--?tuner[_-]?type[= ]lora|--train[_-]type[= ]lora/;

function usesAdapters(text: string): boolean {
  return ADAPTERS.test(text.replace(/^\s*#.*$|\s#\s.*$/gm, ''));
}
