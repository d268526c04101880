import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock';
import { ScriptedHost, scriptedHelper } from '../../../testing/scripted-host';
import { ComputerUnavailable } from '../../failures';
import { ConnectFailure, type PromptPort, type SshAnswer, type SshQuestion } from '../transport';
import { HostLink } from './host-link';

const open: { link: HostLink; clock: ManualClock }[] = [];

afterEach(async () => {
  for (const { link, clock } of open.splice(0)) {
    const disposed = link.dispose();
    await clock.advance(5000);
    await disposed;
    expect(clock.pending, 'timers after the end').toBe(0);
  }
});

const nobody: PromptPort = {
  ask: () => Promise.reject(new Error('Nothing was to be asked.')),
  alarm: () => undefined,
};

function stand(options: { prompts?: PromptPort; random?: () => number } = {}) {
  const clock = new ManualClock();
  const host = new ScriptedHost();
  const states: string[] = [];
  const link: HostLink = new HostLink({
    alias: 'gpu-04',
    transport: host,
    helper: scriptedHelper,
    prompts: options.prompts ?? nobody,
    clock,
    random: options.random ?? (() => 0.5),
    onHealth: () => {
      const { state } = link.health();
      if (states.at(-1) !== state) states.push(state);
    },
  });
  open.push({ link, clock });
  const up = async () => {
    const release = link.hold();
    const client = link.linked(new AbortController().signal);
    await clock.settle();
    return { release, client: await client };
  };
  return { clock, host, link, states, up };
}

const refused = (reason: ConstructorParameters<typeof ConnectFailure>[0]) =>
  new ConnectFailure(reason, 'auth', `gpu-04 did not let you in (${reason}). Check your key.`);

describe('opening a link', () => {
  it('happens on first need, once for all who ask, and says what the host said', async () => {
    const { clock, host, link, states } = stand();
    const holds = [link.hold(), link.hold()];
    await clock.advance(60_000);
    expect(host.opens).toBe(0);
    expect(link.health()).toMatchObject({ state: 'idle', message: '', lastByteAt: null, retryAt: null });
    expect(() => link.client()).toThrow(ComputerUnavailable);
    const waiting = Array.from({ length: 5 }, () => link.linked(new AbortController().signal));
    await clock.settle();
    const clients = await Promise.all(waiting);
    expect(new Set(clients).size).toBe(1);
    expect(link.client()).toBe(clients[0]);
    expect(host.opens).toBe(1);
    expect(link.facts()).toMatchObject({ hostname: 'gpu-04', helper: 'perl' });
    expect(states).toEqual(['connecting', 'good']);
    expect(link.health()).toMatchObject({ state: 'good', message: '', tries: 0, retryAt: null });
    for (const release of holds) release();
  });

  it('is given up by the one who asked without harm to the others', async () => {
    const { clock, host, link } = stand();
    let go: () => void = () => undefined;
    host.onOpen = () => new Promise<void>((resolve) => (go = resolve));
    const impatient = new AbortController();
    const first = link.linked(impatient.signal);
    const second = link.linked(new AbortController().signal);
    impatient.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await expect(link.linked(impatient.signal)).rejects.toThrow('enough');
    go();
    await clock.settle();
    expect(await second).toBe(link.client());
  });

  it('ends a little after the last user let go, and can begin again', async () => {
    const { clock, host, link, states, up } = stand();
    const { release } = await up();
    const other = link.hold();
    release();
    await clock.advance(60_000);
    expect(host.channels).toBe(1);
    other();
    await clock.advance(4000);
    const back = link.hold();
    await clock.advance(60_000);
    expect(host.channels).toBe(1);
    back();
    back();
    await clock.advance(5000);
    expect(host.channels).toBe(0);
    expect(states).toEqual(['connecting', 'good', 'idle']);
    expect(clock.pending).toBe(0);
    await up();
    expect(host.opens).toBe(2);
  });
});

describe('a link that answers no more', () => {
  it('is noticed within 15 s, stalled before it is down, and comes back by itself', async () => {
    const { clock, host, link, states, up } = stand();
    const { client } = await up();
    await clock.advance(61_000);
    host.freeze();
    const silentSince = clock.now();
    const asked = client.request('ping').catch((error: Error) => error.message);
    while (link.health().state !== 'down' && clock.now() - silentSince < 60_000) await clock.advance(100);
    expect(clock.now() - silentSince).toBeLessThanOrEqual(15_000);
    expect(states).toEqual(['connecting', 'good', 'stalled', 'down']);
    expect(await asked).toContain('nothing was heard from it for');
    expect(host.channels).toBe(0);
    const { message, retryAt, since, lastByteAt } = link.health();
    expect(message).toMatch(
      /^gpu-04 cannot be reached since \d\d:\d\d:\d\d: nothing was heard from it for 1\d s\./,
    );
    expect(message).toMatch(/What runs there keeps running\. Next try at \d\d:\d\d:\d\d\.$/);
    expect(retryAt).toBe(since + 500);
    expect(since - (lastByteAt ?? 0)).toBeLessThanOrEqual(15_000);
    expect(() => link.client()).toThrow(expect.objectContaining({ computer: 'gpu-04', message }));
    host.thaw();
    await clock.advance(600);
    expect(link.health()).toMatchObject({ state: 'good', message: '', tries: 0, retryAt: null });
    expect(link.client()).not.toBe(client);
    expect(states).toEqual(['connecting', 'good', 'stalled', 'down', 'connecting', 'good']);
  });

  it('is noticed within 6 s after typing', async () => {
    const { clock, host, link, up } = stand();
    await up();
    await clock.advance(7000);
    host.freeze();
    link.typed();
    await clock.advance(2000);
    expect(link.health().state).toBe('stalled');
    await clock.advance(2000);
    expect(link.health().state).toBe('down');
  });

  it('is down at once when the connection breaks, with the last words of the host', async () => {
    const { clock, host, link, up } = stand();
    const { client } = await up();
    host.cut('Connection reset by peer.');
    await clock.settle();
    expect(link.health().state).toBe('down');
    expect(link.health().message).toContain('Connection reset by peer.');
    await expect(client.request('ping')).rejects.toThrow();
    await clock.advance(500);
    expect(link.health().state).toBe('good');
  });

  it('is degraded while it answers slowly or after a pause, and good again after', async () => {
    const { clock, host, link, states, up } = stand();
    await up();
    host.answers.set('ping', async () => {
      await new Promise<void>((resolve) => clock.after(900, resolve));
      return { fields: ['0'] };
    });
    await clock.advance(6000);
    expect(link.health()).toMatchObject({ state: 'degraded', roundTripMs: 900 });
    expect(link.health().message).toContain('900 ms');
    host.answers.delete('ping');
    await clock.advance(5000);
    expect(link.health().state).toBe('good');
    host.freeze();
    await clock.advance(9600);
    expect(link.health().state).toBe('stalled');
    host.thaw();
    await clock.advance(5000);
    expect(states.slice(-4)).toEqual(['good', 'stalled', 'degraded', 'good']);
    expect(host.opens).toBe(1);
  });
});

describe('coming back', () => {
  it('waits longer each time, says how often it was tried, and starts anew after a success', async () => {
    const { clock, host, link, up } = stand();
    await up();
    await clock.advance(10_000);
    host.onOpen = () => {
      throw new ConnectFailure('tcp', 'tcp', 'gpu-04 refused the connection. Is it switched on?');
    };
    host.cut();
    await clock.settle();
    const waits: number[] = [];
    for (let turn = 0; turn < 9; turn += 1) {
      const { retryAt, state } = link.health();
      expect(state).toBe('down');
      const wait = (retryAt ?? 0) - clock.now();
      waits.push(wait);
      await clock.advance(wait);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(link.health().message).toContain('refused the connection. Is it switched on?');
    expect(link.health().message).toContain('(9 tries so far)');
    host.onOpen = () => undefined;
    await clock.advance(30_000);
    expect(link.health()).toMatchObject({ state: 'good', tries: 0 });
    await clock.advance(2000);
    host.cut();
    await clock.settle();
    expect((link.health().retryAt ?? 0) - clock.now()).toBe(500);
  });

  it('slows down also when each connection breaks as soon as it stands', async () => {
    const { clock, host, link, up } = stand();
    await up();
    const waits: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      host.cut();
      await clock.settle();
      waits.push((link.health().retryAt ?? 0) - clock.now());
      await clock.advance(waits[turn] ?? 0);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  it('stops when nobody needs the host any more', async () => {
    const { clock, host, link, up } = stand();
    const { release } = await up();
    host.onOpen = () => Promise.reject(new ConnectFailure('lost', 'tcp', 'Gone.'));
    host.cut();
    await clock.advance(10_000);
    const { opens } = host;
    expect(opens).toBeGreaterThan(3);
    release();
    await clock.advance(5000);
    expect(link.health()).toMatchObject({ state: 'idle', retryAt: null });
    expect(clock.pending).toBe(0);
  });

  it('happens at once when asked for, also while waiting for the next try', async () => {
    const { clock, host, link, up } = stand();
    await up();
    host.onOpen = () => Promise.reject(new ConnectFailure('resolve', 'resolve', 'No such name.'));
    host.cut();
    await clock.advance(70_000);
    expect(link.health().state).toBe('down');
    host.onOpen = () => undefined;
    for (const why of ['change', 'person'] as const) {
      link.retryNow(why);
      await clock.settle();
      expect(link.health().state).toBe('good');
      host.cut();
      await clock.settle();
    }
  });

  it('does not trust a channel from before the sleep for more than 2 s', async () => {
    const { clock, host, link, up } = stand();
    await up();
    await clock.advance(6000);
    host.freeze();
    clock.sleep(8 * 3_600_000);
    link.retryNow('change');
    await clock.advance(2000);
    expect(link.health().state).toBe('down');
    host.thaw();
    await clock.advance(500);
    expect(link.health().state).toBe('good');
    expect(host.opens).toBe(2);
    link.retryNow('change');
    await clock.advance(5000);
    expect(host.opens).toBe(2);
  });

  it('begins a hanging try anew when the network changes, but never takes a question away', async () => {
    let answer: (answer: SshAnswer | null) => void = () => undefined;
    const prompts: PromptPort = { ...nobody, ask: () => new Promise((resolve) => (answer = resolve)) };
    const { clock, host, link } = stand({ prompts });
    host.onOpen = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    link.hold();
    const linked = link.linked(new AbortController().signal);
    await clock.advance(500);
    link.retryNow('change');
    await clock.settle();
    expect(host.opens).toBe(1);
    await clock.advance(1000);
    link.retryNow('person');
    await clock.settle();
    expect(host.opens).toBe(1);
    host.onOpen = async ({ prompts: port, signal }) => {
      await port.ask(question, signal);
    };
    link.retryNow('change');
    await clock.advance(3000);
    expect(host.opens).toBe(2);
    link.retryNow('change');
    await clock.settle();
    expect(host.opens).toBe(2);
    answer({ texts: ['secret'] });
    await linked;
  });
});

const question: SshQuestion = { kind: 'password', alias: 'gpu-04', target: 'ada@gpu-04:22', attempt: 1 };

describe('a link a person has to do something for', () => {
  it.each([
    'host_key_changed',
    'host_key_revoked',
    'auth',
    'cancelled',
    'helper',
    'unsupported',
    'config',
  ] as const)('stays blocked after "%s" until they say so', async (reason) => {
    const { clock, host, link } = stand();
    host.onOpen = () => Promise.reject(refused(reason));
    link.hold();
    const linked = link.linked(new AbortController().signal);
    await clock.advance(600_000);
    link.retryNow('change');
    await clock.advance(600_000);
    expect(host.opens).toBe(1);
    expect(link.health()).toMatchObject({ state: 'blocked', retryAt: null });
    expect(link.health().message).toContain(`did not let you in (${reason}). Check your key.`);
    expect(link.health().message).toContain('not tried again until you say so');
    expect(() => link.client()).toThrow(ComputerUnavailable);
    expect(clock.pending).toBe(0);
    host.onOpen = () => undefined;
    link.retryNow('person');
    await clock.settle();
    expect(await linked).toBe(link.client());
    expect(link.health().state).toBe('good');
  });
});

describe('time limits', () => {
  it('end a try that hangs after 15 s, and say where', async () => {
    const { clock, host, link } = stand();
    const signals: AbortSignal[] = [];
    host.onOpen = ({ signal, onStage }) => {
      signals.push(signal);
      onStage?.({ stage: 'tcp', state: 'running', message: 'Connecting.', via: 'bastion' });
      return new Promise(() => undefined);
    };
    link.hold();
    expect(() => link.client()).toThrow('Connecting to gpu-04.');
    await clock.advance(14_900);
    expect(link.health().state).toBe('connecting');
    await clock.advance(200);
    expect(link.health().state).toBe('down');
    expect(link.health().message).toContain(
      'bastion, the way to gpu-04, did not answer for 15 s while connecting',
    );
    expect(signals[0]?.aborted).toBe(true);
  });

  it('count from the last stage that got on', async () => {
    const { clock, host, link } = stand();
    host.onOpen = async ({ onStage }) => {
      for (const stage of ['tcp', 'host_key', 'auth', 'shell'] as const) {
        await new Promise<void>((resolve) => clock.after(10_000, resolve));
        onStage?.({ stage, state: 'ok', message: '' });
      }
    };
    link.hold();
    expect(() => link.client()).toThrow();
    await clock.advance(41_000);
    expect(link.health().state).toBe('good');
  });

  it('stand still while a person is asked', async () => {
    let answer: (answer: SshAnswer | null) => void = () => undefined;
    const asked: SshQuestion[] = [];
    const prompts: PromptPort = {
      ...nobody,
      ask: (about) => {
        asked.push(about);
        return new Promise((resolve) => (answer = resolve));
      },
    };
    const { clock, host, link } = stand({ prompts });
    host.onOpen = async ({ prompts: port, signal }) => {
      if ((await port.ask(question, signal)) === null) throw refused('cancelled');
      await new Promise<void>((resolve) => clock.after(14_000, resolve));
    };
    link.hold();
    expect(() => link.client()).toThrow();
    await clock.advance(3_600_000);
    expect(asked).toEqual([question]);
    expect(link.health().state).toBe('connecting');
    expect(link.health().message).toBe('Connecting to gpu-04 waits for your answer to its question.');
    answer({ texts: ['secret'] });
    await clock.advance(100);
    expect(link.health().message).toBe('Connecting to gpu-04.');
    await clock.advance(14_000);
    expect(link.health().state).toBe('good');
  });

  it('end a helper that never says hello', async () => {
    const { clock, host, link } = stand();
    host.freeze();
    link.hold();
    expect(() => link.client()).toThrow();
    await clock.advance(15_100);
    expect(link.health().state).toBe('down');
    expect(link.health().message).toContain('while starting the helper program');
    expect(host.channels).toBe(0);
  });

  it('let go of a channel that comes too late', async () => {
    const { clock, host, link } = stand();
    host.onOpen = () => new Promise<void>((resolve) => clock.after(20_000, resolve));
    link.hold();
    expect(() => link.client()).toThrow();
    await clock.advance(15_100);
    host.onOpen = () => new Promise(() => undefined);
    await clock.advance(10_000);
    expect(host.channels).toBe(0);
  });
});

describe('a host whose helper cannot work', () => {
  it('is blocked when it says no to hello', async () => {
    const { clock, host, link } = stand();
    host.hello.platform = 'freebsd';
    link.hold();
    expect(() => link.client()).toThrow();
    await clock.settle();
    expect(link.health().state).toBe('blocked');
    expect(link.health().message).toContain('platform is "freebsd"');
    expect(host.channels).toBe(0);
  });

  it('is tried again when the channel ends before hello', async () => {
    const { clock, host, link } = stand();
    host.answers.set('hello', () => {
      host.cut("Can't locate POSIX.pm in @INC.");
      return { fields: [] };
    });
    link.hold();
    expect(() => link.client()).toThrow();
    await clock.settle();
    expect(link.health().state).toBe('down');
    expect(link.health().message).toContain('ended while the helper program was starting');
    expect(link.health().message).toContain("Can't locate POSIX.pm in @INC.");
  });
});

describe('the end of a link', () => {
  it('leaves nothing running, in whatever state', async () => {
    for (const before of ['idle', 'connecting', 'good', 'down', 'blocked']) {
      const { clock, host, link } = stand();
      const release = link.hold();
      if (before === 'connecting') host.onOpen = () => new Promise(() => undefined);
      if (before === 'down') host.onOpen = () => Promise.reject(new ConnectFailure('tcp', 'tcp', 'No.'));
      if (before === 'blocked') host.onOpen = () => Promise.reject(refused('auth'));
      const waiting = before === 'idle' ? undefined : link.linked(new AbortController().signal);
      const outcome = waiting?.then(
        () => 'linked',
        (error: unknown) => error,
      );
      await clock.settle();
      expect(link.health().state).toBe(before);
      const disposed = link.dispose();
      await clock.advance(3000);
      await disposed;
      if (before !== 'good' && before !== 'idle') expect(await outcome).toBeInstanceOf(ComputerUnavailable);
      expect(clock.pending, before).toBe(0);
      expect(host.channels, before).toBe(0);
      release();
      link.retryNow('person');
      link.typed();
      await expect(link.linked(new AbortController().signal)).rejects.toThrow(ComputerUnavailable);
      expect(clock.pending, before).toBe(0);
    }
  });
});
