import { ContextFold } from '@shared/context/context';
import { withHint } from '@shared/context/context-entry';
import { hintBlock } from '@shared/context/human-tag';
import { WaymarkError } from '@shared/contract/errors';
import type { EventBody, EventOf, NewEvent, RunEvent } from '@shared/log/events';
import { RunFold } from '@shared/runs/run-fold';
import { inheritedFiles } from '../label/inherited-files';
import type { StoreReader } from '../store/api';

type Inherited = EventBody<'step.inherited'>;
type Delivery = EventBody<'hint.delivered'>;

/** Events read at once; the store cuts a page at about 8 MB besides. */
const PAGE = 1_000;

/**
 * What stood in a run's context right after one of its steps, by reference to the steps: the segment in force, the steps in
 * the context with the hints that were delivered to them, what was shortened and left out. Feed it the log in order.
 */
export class BranchContext {
  readonly run = new RunFold();
  context = new ContextFold({ sendReasoning: false });
  segment: EventBody<'segment.started'> | null = null;
  /** Of the last event, ms. */
  at = 0;
  taskHintSeen = false;
  private readonly steps = new Map<number, Inherited>();
  /** Where the run's own workspace is. */
  private root = '';
  /** Deliveries and kept lines that joined the head, in order. */
  private atHead: (Delivery | { line: string })[] = [];
  /** What was shortened and left out, in order. */
  private lessened: EventOf<'context.shortened' | 'context.images_left_out'>[] = [];

  apply(event: RunEvent): void {
    this.run.apply(event, event.at);
    this.at = event.at;
    this.collect(event);
    this.context.apply(event);
  }

  /** Steps that stand in the context, in order. */
  get inherited(): Inherited[] {
    return this.context.entries.flatMap(({ step }) => this.steps.get(step) ?? []);
  }

  /** Hints that stand in the context, where they stand: 0 = in the head. */
  get hints(): { id: string; text: string; step: number }[] {
    const placed = (delivered: readonly Delivery[], step: number) =>
      delivered.flatMap(({ hints }) => hints.map((hint) => ({ ...hint, step })));
    return [
      ...placed(
        this.atHead.flatMap((each) => ('line' in each ? [] : [each])),
        0,
      ),
      ...this.inherited.flatMap(({ delivered, answered }) => placed(delivered, answered.step)),
    ];
  }

  /**
   * The events that put this context into a new log. `added`: hints at its very end; `notice`: what the agent has to know
   * about where it is now, in a message that is nobody's hint; `copied`: the step after which its files were kept, 0 = before
   * the first.
   */
  events(edit: {
    drop: ReadonlySet<string>;
    added: { id: string; text: string }[];
    notice: string;
    request: Record<string, unknown>;
    copied: number;
  }): NewEvent[] {
    const { segment } = this;
    if (segment === null) throw new WaymarkError('bug', 'A branch begins in a segment.');
    const steps = this.inherited.map((step) => undoneAfter(edit.copied, withoutHints(step, edit.drop)));
    const last = steps.at(-1);
    const addedText = hintBlock(edit.added.map(({ text }) => text));
    let head = segment.head;
    for (const each of this.atHead) {
      const texts = 'line' in each ? [each.line] : without(each, edit.drop).map(({ text }) => text);
      for (const text of texts) head = headWith(head, text);
    }
    if (last === undefined) {
      head = headWith(head, `\n\n${edit.notice}${addedText}`);
    } else {
      last.taught = `${last.taught === null ? '' : `${last.taught}\n\n`}${edit.notice}`;
      if (edit.added.length > 0) {
        last.delivered.push({ step: last.answered.step, hints: edit.added, text: addedText });
      }
    }
    const { carried, ...own } = segment;
    const pair = this.context.pair?.hints.filter(({ id }) => !edit.drop.has(id)) ?? null;
    const reflected = this.context.pair?.reflected ?? [];
    const hints =
      pair === null ? {} : { hints: last === undefined ? [...pair, ...edit.added] : pair, reflected };
    return [
      { kind: 'segment.started', body: { ...own, head, request: edit.request, ...hints } },
      ...steps.map((body): NewEvent => ({ kind: 'step.inherited', body })),
      ...this.lessened.map(({ kind, body }) => ({ kind, body }) as NewEvent),
    ];
  }

  private collect(event: RunEvent): void {
    switch (event.kind) {
      case 'run.created':
        this.context = new ContextFold({ sendReasoning: event.body.model.sendReasoning });
        this.taskHintSeen = event.body.taskHint === 'upfront';
        this.root = event.body.workspaceRoot;
        return;
      case 'segment.started':
        this.startSegment(event.body);
        return;
      case 'model.changed':
        if (this.segment !== null) this.segment = { ...this.segment, request: event.body.request };
        return;
      case 'step.inherited':
        this.steps.set(event.body.answered.step, copyOf(event.body));
        return;
      case 'branch.began':
        this.taskHintSeen ||= event.body.taskHintSeen === true;
        this.fillFiles();
        return;
      case 'model.answered':
        if (event.body.kind !== 'summary') {
          const { run, body: answered } = event;
          const files = { root: this.root, changed: [] };
          this.steps.set(answered.step, { run, answered, observed: [], taught: null, delivered: [], files });
        }
        return;
      case 'file.changed':
        this.change(event.body);
        return;
      case 'action.observed':
        this.steps.get(event.body.step)?.observed.push(event.body);
        this.taskHintSeen ||= event.body.name === 'view_hint' && event.body.ok;
        return;
      case 'step.taught': {
        const step = this.steps.get(event.body.step);
        if (step !== undefined) step.taught = (step.taught ?? '') + event.body.text;
        return;
      }
      case 'hint.delivered':
        this.deliver(event.body);
        return;
      case 'model.requested':
        if (event.body.kept && event.body.tail !== '' && this.context.summary === null)
          this.keep(event.body.tail);
        return;
      case 'context.shortened':
      case 'context.images_left_out':
        this.lessened.push(event);
        return;
      default:
        return;
    }
  }

  /** Only what the segment carries stays; a segment that is opened again before its first step keeps its own head. */
  private startSegment(body: EventBody<'segment.started'>): void {
    this.segment = body;
    this.atHead = [];
    const { from, to } = body.carried ?? { from: 0, to: 0 };
    for (const step of [...this.steps.keys()]) {
      if (step < from || step > to) this.steps.delete(step);
    }
    this.lessened = this.lessened.filter(({ body }) => this.steps.has(body.step));
  }

  /** Steps that a run of an older version took over do not say what became of files. */
  private fillFiles(): void {
    const steps = [...this.steps.values()];
    for (const [i, files] of inheritedFiles(steps).entries()) {
      const step = steps[i];
      if (step !== undefined && files !== null) step.files = files;
    }
  }

  private change({ step: number, call, path, before, after }: EventBody<'file.changed'>): void {
    const step = this.steps.get(number);
    if (step?.files?.changed === undefined || (before !== null && before === after)) return;
    const beside = step.observed.some((each) => each.call === call);
    const change = { call: beside ? null : call, path, existed: before !== null, exists: after !== null };
    step.files = { ...step.files, changed: [...step.files.changed, change] };
  }

  /** As `ContextFold` does: to the last step of the context, whatever its number, else to the head. */
  private deliver(body: Delivery): void {
    const step = this.open;
    if (step === undefined) this.atHead.push(body);
    else step.delivered.push(body);
  }

  private keep(text: string): void {
    const step = this.open;
    if (step === undefined) this.atHead.push({ line: text });
    else step.lines = [...(step.lines ?? []), { after: step.delivered.length, text }];
  }

  /** The last step of the context. */
  private get open(): Inherited | undefined {
    const last = this.context.entries.at(-1);
    return last === undefined ? undefined : this.steps.get(last.step);
  }
}

function withoutHints(step: Inherited, drop: ReadonlySet<string>): Inherited {
  const left = (upTo: number) => step.delivered.slice(0, upTo).flatMap((delivery) => without(delivery, drop));
  const lines = step.lines?.map(({ after, text }) => ({ after: left(after).length, text }));
  return { ...step, delivered: left(step.delivered.length), ...(lines === undefined ? {} : { lines }) };
}

/** The branch's files were kept after step `copied`. */
function undoneAfter(copied: number, step: Inherited): Inherited {
  const { files, answered } = step;
  return files === undefined || answered.step <= copied
    ? step
    : { ...step, files: { ...files, undone: true } };
}

const copyOf = (body: Inherited): Inherited => ({
  ...body,
  observed: [...body.observed],
  delivered: [...body.delivered],
});

/** The delivery without hints that are left out; none when nothing stays. Untouched ones keep their very text. */
function without(delivery: Delivery, drop: ReadonlySet<string>): Delivery[] {
  const hints = delivery.hints.filter(({ id }) => !drop.has(id));
  if (hints.length === delivery.hints.length) return [delivery];
  return hints.length === 0
    ? []
    : [{ step: delivery.step, hints, text: hintBlock(hints.map(({ text }) => text)) }];
}

function headWith(
  head: EventBody<'segment.started'>['head'],
  text: string,
): EventBody<'segment.started'>['head'] {
  return withHint(head, text);
}

/**
 * Folds a run's log up to where its step is over: before the first request of a later step.
 * @throws WaymarkError not_found, refused when the step is not over
 */
export async function contextAfter(
  reader: Pick<StoreReader, 'events'>,
  run: string,
  step: number,
): Promise<BranchContext> {
  const folded = new BranchContext();
  for (let from = 1; ; ) {
    const events = await reader.events(run, from, PAGE);
    const end = events.findIndex((event) => isLater(event, step));
    for (const event of end < 0 ? events : events.slice(0, end)) {
      folded.apply(event);
    }
    const last = events.at(-1);
    if (end >= 0 || last === undefined) break;
    from = last.seq + 1;
  }
  const { run: fold } = folded;
  if (fold.step !== step || fold.nextCall !== null || fold.summarising !== null) {
    const why =
      fold.step < step
        ? `it has ${fold.step === 1 ? '1 step' : `${fold.step} steps`}`
        : fold.step > step
          ? `it was made in the run's own parent before the branch; branch from that run instead`
          : 'that step is not over yet';
    throw new WaymarkError('refused', `Run ${run} cannot be branched after step ${step}: ${why}.`);
  }
  return folded;
}

function isLater(event: RunEvent, step: number): boolean {
  const { kind } = event;
  return (
    (kind === 'model.requested' || kind === 'summary.started' || kind === 'model.answered') &&
    event.body.step > step
  );
}
