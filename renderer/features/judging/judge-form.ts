import type { CommandInput } from '@shared/contract/ipc';
import type { Endpoint } from '@shared/contract/settings';
import { type JudgedSteps, MOST_TEMPERATURE, MOST_VOTES, rewardDefaults } from '@shared/judging/batch';
import { numberIn } from '../new-run/limits';
import type { RubricFile } from './rubric-file';

export type JudgeRequest = CommandInput<'judge.estimate'>;
type Asks = NonNullable<JudgeRequest['asks']>;

/** Judges of one go, as one request may name. */
export const MOST_JUDGES = 8;

/** One judge as it is typed; an empty name is the endpoint's. */
export interface JudgeLine {
  /** Tells the lines apart while they come and go. */
  key: number;
  endpoint: string;
  name: string;
}

/** What a person has chosen and typed, apart from the runs. */
export interface JudgeForm {
  mode: Asks['mode'];
  steps: JudgedSteps;
  judges: readonly JudgeLine[];
  maskRubric: 'task' | 'built-in' | 'file';
  rewardRubric: 'steps' | 'rlanything' | 'file';
  /** Chosen last, for either question; null: none yet. */
  file: RubricFile | null;
  votes: string;
  temperature: string;
  future: boolean;
  limit: string;
}

export function firstForm(endpoints: readonly Endpoint[], steps: JudgedSteps = 'all'): JudgeForm {
  return {
    mode: 'mask',
    steps,
    judges: [{ key: 1, endpoint: endpoints[0]?.name ?? '', name: '' }],
    maskRubric: 'task',
    rewardRubric: 'steps',
    file: null,
    votes: String(rewardDefaults.votes),
    temperature: String(rewardDefaults.temperature),
    future: true,
    limit: '',
  };
}

/** The form with one judge more: the first endpoint that no other asks, so that two names are not the same. */
export function withJudge(form: JudgeForm, endpoints: readonly Endpoint[]): JudgeForm {
  const { judges } = form;
  const free = endpoints.find(({ name }) => judges.every(({ endpoint }) => endpoint !== name));
  const key = Math.max(0, ...judges.map((each) => each.key)) + 1;
  return { ...form, judges: [...judges, { key, endpoint: (free ?? endpoints[0])?.name ?? '', name: '' }] };
}

export function withoutJudge(form: JudgeForm, key: number): JudgeForm {
  return { ...form, judges: form.judges.filter((each) => each.key !== key) };
}

/** As the votes of a line are signed. */
export const signedBy = ({ endpoint, name }: JudgeLine): string => name.trim() || endpoint;

/** The name that two of the judges have; null: they differ. */
export function sameName({ judges }: JudgeForm): string | null {
  const names = judges.map(signedBy);
  return names.find((name, at) => names.indexOf(name) < at) ?? null;
}

/** Votes on each step; null: what is typed is no such number. */
export function votesIn({ votes }: JudgeForm): number | null {
  const typed = Number(votes.trim() || Number.NaN);
  return Number.isInteger(typed) && typed >= 1 && typed <= MOST_VOTES ? typed : null;
}

/** Null: what is typed is no temperature. */
export function temperatureIn({ temperature }: JudgeForm): number | null {
  const typed = Number(temperature.trim().replace(',', '.') || Number.NaN);
  return typed >= 0 && typed <= MOST_TEMPERATURE ? typed : null;
}

/** Money counts only where every judge has a price; null: no limit; false: what is typed is none. */
export function limitIn({ limit, judges }: JudgeForm, endpoints: readonly Endpoint[]): number | null | false {
  return isPriced(judges, endpoints) ? numberIn(limit) : null;
}

export function isPriced(judges: readonly JudgeLine[], endpoints: readonly Endpoint[]): boolean {
  return judges.every(({ endpoint }) =>
    endpoints.some(({ name, price }) => name === endpoint && price !== null),
  );
}

/** What is asked; null: something that is typed or chosen for it cannot be sent. */
function asksOf(form: JudgeForm): Asks | null {
  const { mode, maskRubric, rewardRubric, file, future } = form;
  const chosen = mode === 'mask' ? maskRubric : rewardRubric;
  if (chosen === 'file' && file?.text === undefined) return null;
  const own = { text: file?.text ?? '' };
  if (mode === 'mask') return { mode, rubric: maskRubric === 'file' ? own : maskRubric };
  const [votes, temperature] = [votesIn(form), temperatureIn(form)];
  if (votes === null || temperature === null) return null;
  return { mode, rubric: rewardRubric === 'file' ? own : rewardRubric, votes, temperature, future };
}

/** The request without a limit on money; null: the form cannot be sent as it is. */
export function requestOf(
  form: JudgeForm,
  runs: readonly string[],
  endpoints: readonly Endpoint[],
): JudgeRequest | null {
  const asks = asksOf(form);
  const known = form.judges.every(({ endpoint }) => endpoints.some(({ name }) => name === endpoint));
  if (asks === null || !known || sameName(form) !== null) return null;
  const judges = form.judges.map(({ endpoint, name }) => {
    const typed = name.trim();
    return { endpoint, ...(typed === '' ? {} : { judge: typed }) };
  });
  return { runs: [...runs], steps: form.steps, asks, judges };
}
