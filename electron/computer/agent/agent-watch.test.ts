import { describe, expect, it } from 'vitest';
import { FakeHelper } from '../../testing/agent-host/fake-helper';
import { streamPair } from '../../testing/agent-host/stream-pair';
import { eventually } from '../../testing/deadline';
import { ComputerUnavailable } from '../failures';
import { AgentClient } from './agent-client';
import { AgentWatch } from './agent-watch';

const never = new AbortController().signal;

/** A host whose channel can be lost and made anew. */
function host() {
  const helpers: FakeHelper[] = [];
  let client: AgentClient | undefined;
  return {
    helpers,
    connect() {
      const [near, far] = streamPair();
      helpers.push(new FakeHelper(far, ({ id }, helper) => helper.say(['=', id])));
      client = new AgentClient(near);
    },
    lose() {
      client?.close();
      client = undefined;
    },
    link: {
      client(): AgentClient {
        if (client) return client;
        throw new ComputerUnavailable('h', 'away');
      },
    },
    /** What the helper says of its watches: something changed. */
    change() {
      const helper = helpers.at(-1);
      helper?.say(['c', helper.asked('watch').at(-1)?.args[0] ?? '']);
    },
  };
}

/** Without the host's word nothing would happen for the length of a test. */
const patient = { firstPollMs: 1_000_000 };

describe('watching a session', () => {
  it('wakes everybody who waits, at every change', async () => {
    const at = host();
    at.connect();
    const watch = new AgentWatch(at.link, '/d', patient);
    // The first look after the watch began is worth it in any case.
    await watch.changed(never);
    await eventually('the host watches', () => at.helpers[0]?.asked('watch').length === 1);
    for (let round = 0; round < 3; round += 1) {
      let woken = 0;
      const waiting = [1, 2].map(() =>
        watch.changed(never).then(() => {
          woken += 1;
        }),
      );
      await Promise.resolve();
      expect(woken).toBe(0);
      at.change();
      await Promise.all(waiting);
    }
    expect(at.helpers[0]?.asked('watch')).toHaveLength(1);
    watch.close();
    await eventually('the host is told', () => at.helpers[0]?.asked('unwatch').length === 1);
  });

  it('does not lose a change that came while the look before was under way', async () => {
    const at = host();
    at.connect();
    const watch = new AgentWatch(at.link, '/d', patient);
    await watch.changed(never);
    await eventually('the host watches', () => at.helpers[0]?.asked('watch').length === 1);
    const since = watch.heard;
    at.change();
    await eventually('it was heard of', () => watch.heard > since);
    await watch.changed(never, since);
    // The same word does not wake twice: whoever looked after it waits for the next.
    const stop = new AbortController();
    let woken = false;
    const waiting = watch.changed(stop.signal, watch.heard).then(() => {
      woken = !stop.signal.aborted;
    });
    await Promise.resolve();
    stop.abort();
    await waiting;
    expect(woken).toBe(false);
  });

  it('looks by itself when the host is silent, and stops when it is told to', async () => {
    const at = host();
    at.connect();
    const watch = new AgentWatch(at.link, '/d', { firstPollMs: 40 });
    await watch.changed(never);
    for (let look = 0; look < 3; look += 1) await watch.changed(never);
    watch.close();
    const patiently = new AgentWatch(at.link, '/e', patient);
    await patiently.changed(never);
    const stop = new AbortController();
    const waiting = patiently.changed(stop.signal);
    stop.abort();
    await waiting;
    const closed = patiently.changed(never);
    patiently.close();
    await closed;
    await patiently.changed(never);
  });

  it('wakes when the channel is lost, wakes at once while there is none, and watches the next one', async () => {
    const at = host();
    at.connect();
    const watch = new AgentWatch(at.link, '/d', patient);
    await watch.changed(never);
    const waiting = watch.changed(never);
    at.lose();
    await waiting;
    await watch.changed(never);
    at.connect();
    await watch.changed(never);
    await eventually('the new helper watches', () => at.helpers[1]?.asked('watch').length === 1);
  });
});
