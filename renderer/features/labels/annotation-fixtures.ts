import type { StepRange } from '@shared/contract/step-range';
import { foldAnnotations, headsOn } from '@shared/labels/annotation-fold';
import { UndoHistory } from '@shared/labels/annotation-undo';
import { addsReason } from '@shared/labels/reason-pair';
import type { AnnotationEntry, AnnotationOp, AnnotationTarget } from '@shared/log/annotations';
import { BridgeStand } from '../../state/bridge-fixtures';
import { useFilter } from '../../state/rows/filter';
import { HeadCache } from '../../state/run/head-cache';
import { stepHead } from '../../state/run/step-fixtures';
import { useTimeline } from '../../state/run/timeline';
import { useToasts } from '../../state/toasts';
import { useLabels } from './labels';

export const testRun = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const author = { uuid: 'me', name: 'Me' };

/** A main process that keeps an annotation log as the engine does: same heads, same undo, same fold. */
export class AnnotationStand {
  readonly entries: AnnotationEntry[] = [];
  /** What the next write is refused for. */
  refusal: { code: 'disk_full'; message: string } | null = null;
  readonly bridge: BridgeStand;
  /** Undo entries of decisions, and of the reasons that were given for them. */
  private readonly pairs = new Map<string, string>();

  constructor(steps = 20) {
    this.bridge = new BridgeStand({
      'labels.apply': (input: StepRange & { value: 'train' | 'mask' | 'clear'; reason: string | null }) =>
        this.add(input, { op: 'label', value: input.value, reason: input.reason }),
      'labels.applyTo': (input: { parts: StepRange[]; value: 'train' | 'mask'; reason: string | null }) =>
        this.add(
          { from: input.parts[0]?.from ?? 0, to: input.parts.at(-1)?.to ?? 0, parts: input.parts },
          { op: 'label', value: input.value, reason: input.reason },
        ),
      'labels.adjudicate': (
        input: StepRange & { parts: StepRange[]; value: 'train' | 'mask'; reason: string | null },
      ) => this.add(input, { op: 'adjudicate', value: input.value, reason: input.reason }),
      'labels.flag': (input: { step: number; on: boolean }) =>
        this.add({ from: input.step, to: input.step }, { op: 'flag', on: input.on }),
      'labels.undo': ({ entry }: { entry?: string }) => this.undo(entry),
      'labels.redo': () => this.redo(),
      'timeline.heads': () => [],
    });
    useToasts.setState({ toasts: [] });
    useFilter.setState({ query: {}, steps: null, looking: false });
    useLabels.setState({ pending: [], reason: null, reasonFor: null, lift: null, last: null, open: null });
    const heads = new HeadCache({
      load: async (from, to) =>
        Array.from({ length: to - from + 1 }, (_, index) => stepHead(from + index, { run: testRun })),
      changed: () => undefined,
      failed: () => undefined,
    });
    useTimeline.setState({ run: testRun, heads, steps, cursor: 1, anchor: null, jumpedAt: null });
  }

  /** What people's decisions say of a step now, as `value reason`. */
  at(step: number): string[] {
    return foldAnnotations(this.entries)
      .at(step)
      .humans.map(({ value, reason, adjudication }) =>
        [adjudication ? 'settled' : '', value, reason ?? ''].filter(Boolean).join(' '),
      );
  }

  add(range: StepRange & { parts?: StepRange[] }, body: AnnotationOp): AnnotationEntry {
    if (this.refusal !== null) throw this.refusal;
    const { from, to, parts } = range;
    const target: AnnotationTarget = {
      run: testRun,
      from,
      to,
      ...(parts === undefined ? {} : { parts }),
    };
    const seq = this.entries.length + 1;
    const entry: AnnotationEntry = {
      ulid: `01K${String(seq).padStart(23, '0')}`,
      at: 0,
      author,
      device: 'here',
      deviceSeq: seq,
      target,
      supersedes: body.op === 'undo' ? [] : headsOn(this.entries, target),
      body,
    };
    this.entries.push(entry);
    return entry;
  }

  /** A decision that only got a reason goes with it, as in the engine. */
  private undo(named?: string) {
    const last = this.find(named ?? this.history().undoable());
    if (last === null) return null;
    const entry = this.takeOut(last);
    const before = this.entries[last.deviceSeq - 2];
    if (before !== undefined && addsReason([last], [before])) {
      this.pairs.set(this.takeOut(before).ulid, entry.ulid);
    }
    return { entry, target: last };
  }

  private redo() {
    const open = this.history().redoable();
    const undo = this.find(open?.undo ?? null);
    if (open === null || undo === null) return null;
    const entry = this.takeOut(undo);
    const pair = this.find(this.pairs.get(undo.ulid) ?? null);
    if (pair === null || pair.body.op !== 'undo') return { entry, target: this.find(open.restores) };
    return { entry: this.takeOut(pair), target: this.find(pair.body.entry) };
  }

  private takeOut({ target, ulid }: AnnotationEntry): AnnotationEntry {
    const { run: _run, ...range } = target;
    return this.add(range as StepRange, { op: 'undo', entry: ulid });
  }

  private find(ulid: string | null): AnnotationEntry | null {
    return this.entries.find((entry) => entry.ulid === ulid) ?? null;
  }

  private history(): UndoHistory {
    const history = new UndoHistory(new Set(['here']));
    for (const { ulid, device, body } of this.entries)
      history.add({ ulid, device, undoes: body.op === 'undo' ? body.entry : null });
    return history;
  }
}
