import { counted } from '@shared/base/amounts';
import { wellFormed } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import type { RunSummary } from '@shared/contract/views';
import type { Author } from '@shared/log/annotations';
import type { EventBody } from '@shared/log/events';
import type { HintCategory, HintDelivery, HintVerdict, HintView } from '@shared/log/outbox';
import { hasEnded } from '@shared/runs/run-status';
import { newUlid } from '../../base/new-ulid';
import type { Store } from '../../store/api';
import { parseSpec } from '../../task/stored-spec';

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
    const text = wellFormed(hint.text);
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
    await this.refuseStranger(run, deliver);
    await this.store.writer.post(run, author, {
      op: 'hint.edited',
      hint,
      text: wellFormed(text),
      ...(category === undefined ? {} : { category }),
      ...(deliver === undefined ? {} : { deliver }),
    });
  }

  /** `before`: another queued hint, or null for the end of the queue. @throws WaymarkError as `edit` */
  async move(run: string, author: Author, hint: string, before: string | null): Promise<void> {
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
      throw new WaymarkError(
        'refused',
        `The agent has not answered with hint ${number} in its context yet, so there is nothing to judge.`,
      );
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
      throw new WaymarkError('run_ended', `Run ${run} has ended (${state}).`);
    }
    await refuseWithoutHints(reader, run);
    await this.refuseStranger(run, deliver);
  }

  /**
   * A hint that waits for a computer the run does not have, for GPUs where there are none, for a score that none gives, or for
   * longer than the run has steps or time left.
   */
  private async refuseStranger(run: string, deliver: HintDelivery | undefined): Promise<void> {
    if (deliver === undefined) return;
    if (deliver.when === 'score_changes') await this.refuseUnscored(run);
    const summary = await this.store.reader.run(run);
    refuseTooLate(summary, deliver);
    if (!('computer' in deliver)) return;
    const { computers } = summary;
    const names = computers.map(({ name }) => name);
    const meant =
      deliver.computer === '' ? computers : computers.filter(({ name }) => name === deliver.computer);
    if (meant.length === 0) {
      throw new WaymarkError(
        'bad_input',
        `This run has no computer ${deliver.computer}. It has ${names.join(', ')}.`,
      );
    }
    if (deliver.when === 'gpu_idle' && meant.every(({ gpus = 0 }) => gpus === 0)) {
      const where = deliver.computer === '' ? 'This run has no GPUs' : `${deliver.computer} has no GPUs`;
      throw new WaymarkError(
        'bad_input',
        `${where}, so the hint would never be delivered. Choose another condition.`,
      );
    }
  }

  private async refuseUnscored(run: string): Promise<void> {
    const { reader } = this.store;
    const [{ scores }, [first]] = await Promise.all([reader.run(run), reader.events(run, 1, 1)]);
    if (first?.kind !== 'run.created') return;
    const why = whyUnscored(first.body, scores.tries, scores.maxTries);
    if (why === null) return;
    throw new WaymarkError(
      'bad_input',
      `${why}, so the hint would never be delivered. Choose another condition.`,
    );
  }
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
