import type { Stage, StageView } from '@shared/contract/computers';
import type { LinkClock } from '../../../clock';
import { connectStages, type StageReport } from '../transport';

/** The stages of one test as a person sees them: the host's own in their order, those of jump hosts in between. */
export class StageBoard {
  private readonly rows: StageView[];
  private readonly startedAt = new Map<StageView, number>();

  constructor(
    private readonly clock: LinkClock,
    private readonly onChange: (stages: StageView[]) => void,
  ) {
    this.rows = connectStages.map((stage) => ({ stage, state: 'waiting', message: '', via: null, ms: null }));
    this.tell();
  }

  report({ stage, state, message, via, ms }: StageReport): void {
    const row = this.row(stage, via ?? null);
    if (state === 'running') {
      this.startedAt.set(row, this.clock.monotonic());
    } else {
      const startedAt = this.startedAt.get(row);
      row.ms = ms ?? (startedAt === undefined ? null : Math.round(this.clock.monotonic() - startedAt));
    }
    row.state = state;
    row.message = message;
    this.tell();
  }

  /** The connection stands: what the transport did not report one by one has gone well all the same. */
  connected(): void {
    const until = connectStages.indexOf('disk');
    for (const row of this.rows) {
      if (connectStages.indexOf(row.stage) >= until) continue;
      if (row.state === 'running') row.state = 'ok';
      if (row.state !== 'waiting') continue;
      row.state = 'skipped';
      row.message = 'This way of connecting does not report it separately.';
    }
    this.tell();
  }

  /** Ends the test at a stage; undefined: wherever it is now. */
  fail(stage: Stage | undefined, message: string): void {
    const running = [...this.rows]
      .reverse()
      .filter((row) => row.state === 'running' || row.state === 'failed');
    const at =
      running.find((row) => row.stage === stage) ??
      (stage === undefined ? running[0] : undefined) ??
      this.row(stage ?? 'helper', null);
    for (const row of this.rows) {
      if (row.state === 'running') row.state = 'skipped';
      if (row.state !== 'waiting') continue;
      row.state = 'skipped';
      row.message = 'Not reached.';
    }
    this.report({
      stage: at.stage,
      state: 'failed',
      message,
      ...(at.via === null ? {} : { via: at.via }),
    });
  }

  get ok(): boolean {
    return this.rows.every((row) => row.state !== 'failed');
  }

  view(): StageView[] {
    return this.rows.map((row) => ({ ...row }));
  }

  private row(stage: Stage, via: string | null): StageView {
    const found = this.rows.find((row) => row.stage === stage && row.via === via);
    if (found) return found;
    const added: StageView = { stage, state: 'waiting', message: '', via, ms: null };
    const own = this.rows.findIndex((row) => row.stage === 'tcp' && row.via === null);
    this.rows.splice(own, 0, added);
    return added;
  }

  private tell(): void {
    this.onChange(this.view());
  }
}
