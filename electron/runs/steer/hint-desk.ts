import { counted } from '@shared/base/amounts';
import { WaymarkError } from '@shared/contract/errors';
import type { RunSummary } from '@shared/contract/views';
import type { Author } from '@shared/log/annotations';
import type { EventBody } from '@shared/log/events';
import type { HintCategory, HintDelivery, HintVerdict, HintView } from '@shared/log/outbox';
import { hasEnded } from '@shared/runs/run-status';
import { z } from 'zod';
import { newUlid } from '../../base/new-ulid';
import type { Store } from '../../store/api';
import { parseSpec } from '../../task/stored-spec';
import { hintText } from './hint-text';

export interface NewHint {
  text: string;
  category: HintCategory;
  /** Default: at the next step. */
  deliver?: HintDelivery | undefined;
  /** Chosen by who asks, so that asking again after a lost answer queues nothing twice. */
  hint?: string | undefined;
}

export interface HintEdit {
  text: string;
  category?: HintCategory | undefined;
  deliver?: HintDelivery | undefined;
}

/** What people do with the hints of a run, whoever drives it: entries in the outbox, and words about what became of them. */
export class HintDesk {
  constructor(private readonly store: Pick<Store, 'reader' | 'writer'>) {}

  /**
   * Queues a hint; durable when this resolves. The same id and text again give the hint that is there.
   * @throws WaymarkError run_ended, refused (a run without human hints), bad_input, already_exists (the id has another text)
   */
  async queue(run: string, author: Author, hint: NewHint): Promise<HintView> {
    const id = hint.hint ?? newUlid();
    const text = hintText(hint.text);
    const known = hint.hint === undefined ? null : await this.queuedBefore(run, id, text);
    if (known !== null) return known;
    await this.refuse(run, hint.deliver);
    const deliver = hint.deliver === undefined ? {} : { deliver: hint.deliver };
    const op = { op: 'hint.queued' as const, hint: id, text, category: hint.category, ...deliver };
    try {
      await this.store.writer.post(run, author, op);
    } catch (error) {
      // Asked for twice at once: the other one came first.
      const twin = hasCode(error, 'already_exists') ? await this.queuedBefore(run, id, text) : null;
      if (twin === null) throw error;
      return twin;
    }
    return this.find(run, id);
  }

  /** @throws WaymarkError hint_already_delivered, hint_withdrawn, run_ended, not_found, bad_input */
  async edit(
    run: string,
    author: Author,
    hint: string,
    { text, category, deliver }: HintEdit,
  ): Promise<void> {
    const words = hintText(text);
    await this.refuseStranger(run, deliver);
    await this.store.writer.post(run, author, {
      op: 'hint.edited',
      hint,
      text: words,
      ...(category === undefined ? {} : { category }),
      ...(deliver === undefined ? {} : { deliver }),
    });
  }

  /** `before`: another queued hint, or null for the end of the queue. @throws WaymarkError as `edit` */
  async move(run: string, author: Author, hint: string, before: string | null): Promise<void> {
    if (hint === before) {
      const { number } = await this.find(run, hint);
      throw new WaymarkError(
        'bad_input',
        `Hint ${number} cannot be moved before itself. Choose another queued hint, or the end of the queue.`,
      );
    }
    await this.store.writer.post(run, author, { op: 'hint.moved', hint, before });
  }

  /** @throws WaymarkError as `edit` */
  async withdraw(run: string, author: Author, hint: string): Promise<void> {
    await this.store.writer.post(run, author, { op: 'hint.withdrawn', hint });
  }

  /**
   * Says what became of a delivered hint, on the step that carries it (the first where it joined the task); null takes the
   * word back. @throws WaymarkError not_found, refused (no answer has seen it)
   */
  async verdict(run: string, author: Author, hint: string, verdict: HintVerdict | null): Promise<void> {
    const { state, step, number } = await this.find(run, hint);
    const { steps } = await this.store.reader.run(run);
    if (state !== 'delivered' || step === null || steps <= step) {
      const why =
        state === 'withdrawn'
          ? `Hint ${number} was withdrawn before the agent read it`
          : state === 'undelivered'
            ? `The run ended before the agent answered hint ${number}`
            : `The agent has not answered with hint ${number} in its context yet`;
      throw new WaymarkError('refused', `${why}, so there is nothing to judge.`);
    }
    const at = Math.max(1, step);
    await this.store.writer.annotate(author, { run, from: at, to: at }, { op: 'hint', hint, verdict });
  }

  /** @throws WaymarkError not_found */
  async find(run: string, id: string): Promise<HintView> {
    const found = (await this.store.reader.hints(run)).hints.find((hint) => hint.id === id);
    if (found === undefined) throw new WaymarkError('not_found', `Hint ${id} is not in this run.`);
    return found;
  }

  private async queuedBefore(run: string, id: string, text: string): Promise<HintView | null> {
    const { hints } = await this.store.reader.hints(run);
    const found = hints.find((hint) => hint.id === id);
    if (found === undefined) return null;
    if (found.text === text || (await this.firstText(run, id)) === text) return found;
    throw new WaymarkError('already_exists', `Hint ${id} is queued already, with another text.`);
  }

  /** Somebody may have edited it since. */
  private async firstText(run: string, id: string): Promise<string | null> {
    for (let after = 0; ; ) {
      const entries = await this.store.reader.outbox(run, after);
      for (const { body } of entries) {
        if (body.op === 'hint.queued' && body.hint === id) return body.text;
      }
      const last = entries.at(-1);
      if (last === undefined) return null;
      after = last.id;
    }
  }

  private async refuse(run: string, deliver: HintDelivery | undefined): Promise<void> {
    const { reader } = this.store;
    const { state } = await reader.run(run);
    if (hasEnded(state)) {
      throw new WaymarkError(
        'run_ended',
        `Run ${run} has ended (${state}). Branch from one of its steps to continue with a hint.`,
      );
    }
    await refuseWithoutHints(reader, run);
    await this.refuseStranger(run, deliver);
  }

  /**
   * A hint that waits for a computer on which the agent does not work, for sessions or GPUs where there are none, for a score
   * that none gives, or for longer than the run has steps or time left.
   */
  private async refuseStranger(run: string, deliver: HintDelivery | undefined): Promise<void> {
    if (deliver === undefined) return;
    const summary = await this.store.reader.run(run);
    refuseTooLate(summary, deliver);
    const why = await this.whyNever(summary, deliver);
    if (why !== null) {
      throw new WaymarkError(
        'bad_input',
        `${why}, so the hint would never be delivered. Choose another condition.`,
      );
    }
    if ('computer' in deliver) refuseUnknown(await this.agentsComputers(summary), deliver.computer);
  }

  private async whyNever(run: RunSummary, deliver: HintDelivery): Promise<string | null> {
    if (deliver.when === 'score_changes') {
      const created = await this.created(run);
      return created && whyUnscored(created, run.scores.tries, run.scores.maxTries);
    }
    if (!('computer' in deliver)) return null;
    const { computer } = deliver;
    const own = await this.agentsComputers(run);
    const isOwn = own.some(({ name }) => name === computer);
    if (!isOwn && run.computers.some(({ name }) => name === computer))
      return `${computer} only evaluates, and the agent does not work there`;
    if (deliver.when === 'session_idle') {
      const created = await this.created(run);
      return created && whyWithoutSessions(created);
    }
    const meant = computer === '' ? own : own.filter(({ name }) => name === computer);
    if (meant.length === 0 || meant.some(({ gpus = 0 }) => gpus > 0)) return null;
    return computer === '' ? 'This run has no GPUs' : `${computer} has no GPUs`;
  }

  private async created({ id }: RunSummary): Promise<EventBody<'run.created'> | null> {
    const [first] = await this.store.reader.events(id, 1, 1);
    return first?.kind === 'run.created' ? first.body : null;
  }

  /** Those that actions may name. */
  private async agentsComputers(run: RunSummary): Promise<RunSummary['computers']> {
    const created = await this.created(run);
    const evaluators = created === null ? [] : evaluatorsOf(created.spec);
    return run.computers.filter(({ name }) => !evaluators.includes(name));
  }
}

/** @throws WaymarkError bad_input */
function refuseUnknown(computers: RunSummary['computers'], wanted: string): void {
  const names = computers.map(({ name }) => name);
  if (wanted === '' || names.includes(wanted)) return;
  throw new WaymarkError('bad_input', `This run has no computer ${wanted}. It has ${names.join(', ')}.`);
}

/** @throws WaymarkError bad_input when the run ends at its limits before the condition can come true */
function refuseTooLate(run: RunSummary, deliver: HintDelivery): void {
  const steps = Math.max(0, run.maxSteps - run.taken);
  const minutes = Math.floor(Math.max(0, run.maxWorkingMs - run.workingMs) / 60_000);
  const left =
    deliver.when === 'error_streak' && deliver.steps > steps
      ? counted(steps, 'step')
      : deliver.when === 'gpu_idle' && deliver.minutes > minutes
        ? `${counted(minutes, 'minute')} of working time`
        : null;
  if (left === null) return;
  throw new WaymarkError(
    'bad_input',
    `This run has ${left} left, so the hint would never be delivered. Choose a shorter condition, or raise the limits first.`,
  );
}

/** What a hint's condition asks of a run's task; a specification that says less refuses nothing. */
const offeredSchema = z.object({
  tools: z.array(z.string()).nullable().catch(null),
  computers: z.array(z.object({ name: z.string(), evaluator: z.boolean().catch(false) })).catch([]),
});

function evaluatorsOf(spec: Record<string, unknown>): string[] {
  return offeredSchema.parse(spec).computers.flatMap(({ name, evaluator }) => (evaluator ? [name] : []));
}

/** The agent never runs anything in a session. */
function whyWithoutSessions({ spec }: EventBody<'run.created'>): string | null {
  const { tools } = offeredSchema.parse(spec);
  return tools === null || tools.includes('run_command') || tools.includes('create_session')
    ? null
    : 'The agent of this run has no sessions';
}

/** The agent can bring about another score: it has `eval`, and evaluations left. The final one comes too late for any hint. */
function whyUnscored(created: EventBody<'run.created'>, tries: number, maxTries: number): string | null {
  if (!parseSpec(created.spec, created.task.title).tools.includes('eval'))
    return 'The agent of this run has no eval';
  if (tries < maxTries) return null;
  return maxTries === 0 ? 'This run has no evaluations' : `All ${maxTries} evaluations of this run are used`;
}

export async function takesHints(reader: Pick<Store['reader'], 'events'>, run: string): Promise<boolean> {
  const [first] = await reader.events(run, 1, 1);
  return first?.kind !== 'run.created' || first.body.humanHints;
}

/** Whatever people write to the agent is a hint. @throws WaymarkError refused */
export async function refuseWithoutHints(
  reader: Pick<Store['reader'], 'events'>,
  run: string,
): Promise<void> {
  if (!(await takesHints(reader, run))) {
    throw new WaymarkError(
      'refused',
      'This run was started without human hints. Start another one to send hints.',
    );
  }
}

function hasCode(error: unknown, code: WaymarkError['code']): boolean {
  return error instanceof WaymarkError && error.code === code;
}
