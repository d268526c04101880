import type { EventBody, EventKind, RunEvent } from '@shared/log/events';
import type { Engine } from '../runs/engine';
import type { Store } from '../store/api';
import { eventually } from './deadline';

/** What tests ask of an engine on a workspace, whatever else stands around it. */
export abstract class RunStand {
  abstract readonly engine: Engine;
  abstract readonly store: Store;

  async drive(run: string): Promise<void> {
    await this.engine.resumeRun(run);
    await this.engine.waitRun(run);
  }

  events(run: string): Promise<RunEvent[]> {
    return this.store.reader.events(run, 1, 2_000);
  }

  async of<K extends EventKind>(run: string, kind: K): Promise<EventBody<K>[]> {
    const events = await this.events(run);
    return events.flatMap((event) => (event.kind === kind ? [event.body as EventBody<K>] : []));
  }

  /** Resolves when an event of the run passes the test. */
  until<K extends EventKind>(
    run: string,
    kind: K,
    test: (body: EventBody<K>) => boolean = () => true,
  ): Promise<EventBody<K>> {
    return eventually(`the log of the run has such a ${kind}`, async () =>
      (await this.of(run, kind)).find(test),
    );
  }
}
