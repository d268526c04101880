import type { CommandParsed, EventPayloads } from '@shared/contract/ipc';
import type { TerminalPage } from '@shared/contract/ipc/terminals';
import type { ServeClient } from './serve-client';
import { answerOf } from './server-words';

const pageBytes = 1024 * 1024;

/** The terminals the window looks at, and how far it has each: a new channel goes on where the last one ended. */
export class FollowedSessions {
  private watchOrder: CommandParsed<'sessions.watch'> | null = null;
  private readonly ends = new Map<string, { live: number; end: number }>();

  watched(order: CommandParsed<'sessions.watch'>): void {
    this.watchOrder = order;
    for (const uid of this.ends.keys()) if (!order.uids.includes(uid)) this.ends.delete(uid);
  }

  /** The window read a page and wants what follows. */
  read({ run, uid, live }: CommandParsed<'sessions.read'>, page: TerminalPage): void {
    if (live === undefined || run !== this.watchOrder?.run || !this.watchOrder.uids.includes(uid)) return;
    this.ends.set(uid, { live, end: page.endOffset });
  }

  frame({ uid, live, endOffset }: EventPayloads['live.session']): void {
    const known = this.ends.get(uid);
    if (known?.live === live) known.end = Math.max(known.end, endOffset);
  }

  /** Watches again over a new channel; `publish` gets what came meanwhile. @throws ServeLost, WaymarkError unsupported */
  async goOn(
    server: string,
    client: ServeClient,
    publish: (frame: EventPayloads['live.session']) => void,
  ): Promise<void> {
    const order = this.watchOrder;
    if (order === null) return;
    await client.ask('sessions.watch', order);
    for (const [uid, { live, end }] of [...this.ends]) {
      const input = { run: order.run, uid, offset: end, maxBytes: pageBytes, live };
      const answer = await client.ask('sessions.read', input);
      if (!answer.ok) continue;
      const page = answerOf(server, 'sessions.read', answer.value);
      const frame = { ...page, run: order.run, uid, live };
      this.frame(frame);
      if (page.bytes.length > 0 || page.endOffset > page.offset) publish(frame);
    }
  }
}
