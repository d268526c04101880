import { toFailure } from '@shared/contract/errors';
import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import type { EventKind } from '@shared/log/events';
import { visibleJson } from '@shared/terminal/visible-text';
import { SerialQueue } from '../base/serial-queue';
import { type ApprovalAnswer, answerApproval } from '../runs/steer/answer-approval';
import { takesHints } from '../runs/steer/hint-desk';
import type { StoreNotice } from '../store/notices';
import { approvalLines, questionLines } from './approval-words';
import type { CliContext } from './context';
import type { AskLine } from './terminal-prompts';

/** After these a question may be there that was not before, or be over. */
const telling: ReadonlySet<EventKind> = new Set(['approval.asked', 'approval.decided', 'run.status']);

/**
 * Says at once what a run that is driven here waits for a person's word on: a line of JSON, or sentences on standard error. A
 * person at the terminal is asked there and then; the question is taken back once it is answered elsewhere or the run rests.
 */
export class ApprovalWatch {
  /** Questions that were said, by id, with what ends asking. */
  private readonly asking = new Map<string, AbortController>();
  private readonly talks = new Set<Promise<void>>();
  private readonly unsubscribe: () => void;
  private readonly looks = new SerialQueue();
  private over = false;

  constructor(
    private readonly context: CliContext,
    private readonly run: string,
    private readonly json: boolean,
  ) {
    this.unsubscribe = context.store.subscribe((notice) => this.hear(notice));
    this.looks.run(() => this.look());
  }

  /** Nothing is asked any more when this resolves. */
  async end(): Promise<void> {
    this.over = true;
    this.unsubscribe();
    await this.looks.idle();
    for (const asking of this.asking.values()) asking.abort();
    await Promise.all(this.talks);
  }

  private hear(notice: StoreNotice): void {
    if (notice.kind !== 'run' || notice.run !== this.run) return;
    if (notice.events !== null && !notice.events.some(({ kind }) => telling.has(kind))) return;
    this.looks.run(() => this.look());
  }

  private async look(): Promise<void> {
    try {
      const open = await this.context.reader.openApprovals(this.run);
      for (const [approval, asking] of this.asking) {
        if (!open.some((each) => each.approval === approval)) asking.abort();
      }
      for (const asked of open) await this.say(asked);
    } catch (thrown) {
      this.complain(thrown);
    }
  }

  private async say(asked: ApprovalAsked): Promise<void> {
    if (this.over || this.asking.has(asked.approval)) return;
    const { terminal, prompts } = this.context;
    const asking = new AbortController();
    this.asking.set(asked.approval, asking);
    if (this.json) terminal.out(visibleJson({ approval: asked }));
    if ((await prompts.whyNobody()) !== null) {
      if (!this.json) for (const line of approvalLines(asked)) terminal.err(line);
      return;
    }
    const talk: Promise<void> = this.ask(asked, asking.signal)
      .catch((thrown) => {
        if (asking.signal.aborted) {
          if (!this.over) terminal.err('The question was answered elsewhere first.');
          return;
        }
        this.complain(thrown);
        return this.remind(asked);
      })
      .finally(() => this.talks.delete(talk));
    this.talks.add(talk);
  }

  private async ask(asked: ApprovalAsked, signal: AbortSignal): Promise<void> {
    const { prompts, terminal, store, reader, author, engine } = this.context;
    const takesReason = await takesHints(reader, this.run);
    const answer = await prompts.inTurn(async (line) => {
      for (const each of questionLines(asked)) terminal.err(each);
      return askedOf(asked, takesReason, line);
    }, signal);
    // As Ctrl C at any other time.
    if (answer === null) await engine.shutdown({ mode: 'pause', why: 'Paused by Ctrl C.' });
    else await answerApproval(store, this.run, author, answer);
  }

  /** How to answer from elsewhere, unless somebody did. */
  private async remind({ approval }: ApprovalAsked): Promise<void> {
    const open = await this.context.reader.openApprovals(this.run);
    for (const each of open.filter((asked) => asked.approval === approval)) {
      for (const line of approvalLines(each)) this.context.terminal.err(line);
    }
  }

  private complain(thrown: unknown): void {
    const { code, message } = toFailure(thrown);
    this.context.terminal.err(`${code}: ${message}`);
  }
}

/** The person's answer; null: they gave it up. */
async function askedOf(
  { approval, kinds = [] }: ApprovalAsked,
  takesReason: boolean,
  line: AskLine,
): Promise<ApprovalAnswer | null> {
  const always = kinds.length === 0 ? '' : ', a = yes, and always this kind in this run';
  for (;;) {
    const typed = (await line(`Approve it? y = yes${always}, n = no: `))?.trim().toLowerCase();
    if (typed === undefined) return null;
    if (typed === 'y' || typed === 'yes') return { approval, decision: 'allow', forRun: false };
    if (typed === 'a' && always !== '') return { approval, decision: 'allow', forRun: true };
    if (typed !== 'n' && typed !== 'no') continue;
    const refusal = { approval, decision: 'deny' as const, forRun: false };
    if (!takesReason) return refusal;
    const reason = await line('Why not? The agent reads it (Enter: no reason): ');
    return reason === null ? null : { ...refusal, reason };
  }
}
