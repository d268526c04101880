import type { StoreNotice } from '../store/notices';
import type { Terminal } from './output';

type Trouble = Extract<StoreNotice, { kind: 'unreadable' | 'problem' }>;

/**
 * What the workspace says of itself while a command runs. Who drives runs waits a trouble out, and hears of it at once; any
 * other command ends, and where it fails of the very trouble its own failure is all that is said: it knows what was not done.
 */
export class Troubles {
  /** Lines that standard error has already. */
  readonly said = new Set<string>();
  private readonly held: Trouble[] = [];

  constructor(
    private readonly terminal: Pick<Terminal, 'err'>,
    private readonly waits: boolean,
  ) {}

  tell(notice: StoreNotice): void {
    if (notice.kind !== 'unreadable' && notice.kind !== 'problem') return;
    if (this.waits) this.say(notice);
    else this.held.push(notice);
  }

  /** `failed`: the code that the command ended with; null when it did what it should. */
  end(failed: string | null): void {
    for (const notice of this.held.splice(0)) {
      if (notice.kind === 'unreadable' || notice.code !== failed) this.say(notice);
    }
  }

  private say({ code, message }: Trouble): void {
    const line = `${code}: ${message}`;
    if (this.said.has(line)) return;
    this.said.add(line);
    this.terminal.err(line);
  }
}
