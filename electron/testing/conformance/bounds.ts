import { expect, it } from 'vitest';
import type { Computer } from '../../computer/port';
import { eventually, factDeadlineMs } from '../deadline';
import { type Bench, mustFind, openSession, readRange, runToEnd, untilState, utf8 } from './session-driver';

/** Small enough for a test to reach both. */
export const smallLimits = { keptBytes: 128 * 1024, unfetchedBytes: 1024 * 1024 } as const;

const { keptBytes, unfetchedBytes } = smallLimits;
/** As in the sessions' code: holes are whole blocks, and small pieces are not asked for. */
const stepBytes = Math.max(4096, keptBytes / 16);
const lineBytes = 10;
/** A prompt is shorter, with everything that belongs to it. */
const promptBytes = 256;

/** `00000001\r\n` and so on: what lies at an offset is known. */
const numbered = (lines: number) => `seq -f %08.0f ${lines}`;

function expectNumbered(bytes: Uint8Array, from: number): void {
  const first = Math.floor(from / lineBytes);
  const count = Math.ceil(bytes.length / lineBytes) + 1;
  const lines = Array.from({ length: count }, (_, i) => `${String(first + i + 1).padStart(8, '0')}\r\n`);
  const expected = lines.join('').slice(from % lineBytes);
  const text = Buffer.from(bytes).toString('latin1');
  // Not compared by `toBe`: a difference would print megabytes.
  if (text !== expected.slice(0, text.length)) throw new Error(`Other bytes than expected from ${from} on.`);
}

async function directoryOf(computer: Computer): Promise<string> {
  return (await runToEnd(computer, 'printf "%s" "$__wm_dir"')).text;
}

/** Logs that do not grow for ever. */
export function boundCases(bench: () => Bench): void {
  it('gives back what is stored elsewhere; offsets stay, and so do the commands', async () => {
    const { computer, setup } = bench();
    await openSession(bench());
    const directory = await directoryOf(computer);
    const result = await runToEnd(computer, numbered(60_000));
    const end = (await untilState(computer, 'idle')).endOffset;
    const before = await computer.sessions.commands('s');
    const blocks = async () => Number(await setup.shell(`stat -c %b '${directory}/spool'`)) * 512;
    const full = await blocks();
    await computer.sessions.stored('s', end);
    const { droppedTo, endOffset } = await mustFind(computer);
    // The marker that says idle stands in the prompt: the rest of that may come a moment later.
    expect(endOffset - end).toBeGreaterThanOrEqual(0);
    expect(endOffset - end).toBeLessThan(promptBytes);
    expect(droppedTo % 4096).toBe(0);
    expect(droppedTo).toBeLessThanOrEqual(end - keptBytes);
    expect(droppedTo).toBeGreaterThan(end - keptBytes - stepBytes - 4096);
    expect(full - (await blocks())).toBeGreaterThan(droppedTo - 65_536);
    const rest = await readRange(computer, 's', droppedTo, result.endOffset);
    expectNumbered(rest, droppedTo - result.startOffset);
    await expect(computer.sessions.read('s', droppedTo - 1, 10)).rejects.toMatchObject({ reason: 'dropped' });

    const again = await setup.again();
    expect(await again.sessions.commands('s')).toEqual(before);
    expect(await again.sessions.waitCommand('s', result.commandSeq, {})).toMatchObject({
      startOffset: result.startOffset,
      endOffset: result.endOffset,
      exitCode: 0,
    });
    await expect(again.sessions.read('s', 0, 10)).rejects.toMatchObject({ reason: 'dropped' });
    expect(await runToEnd(again, 'echo goes on')).toMatchObject({ text: 'goes on\n', exitCode: 0 });
    await again.dispose();
  });

  it('keeps everything of the command that runs', async () => {
    const { computer } = bench();
    await openSession(bench());
    await runToEnd(computer, numbered(40_000));
    const { commandSeq } = await computer.sessions.run('s', `${numbered(50_000)}; read x`);
    const state = await untilState(computer, 'waiting');
    const { startOffset } = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: 0 });
    await computer.sessions.stored('s', state.endOffset);
    const { droppedTo } = await mustFind(computer);
    expect(droppedTo).toBeGreaterThan(0);
    expect(droppedTo).toBeLessThanOrEqual(startOffset);
    expectNumbered(await readRange(computer, 's', startOffset, startOffset + 500_000), 0);
    await computer.sessions.write('s', utf8('\n'));
    await untilState(computer, 'idle');
    await computer.sessions.stored('s', state.endOffset);
    expect((await mustFind(computer)).droppedTo).toBeGreaterThan(startOffset);
  });

  it('gives back what is stored of a session that has ended', async () => {
    const { computer } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run('s', `${numbered(60_000)}; exit 4`);
    const { startOffset } = await computer.sessions.waitCommand('s', commandSeq, {
      timeoutMs: factDeadlineMs,
    });
    const { endOffset } = await untilState(computer, 'ended');
    await computer.sessions.stored('s', endOffset);
    const { droppedTo } = await mustFind(computer);
    expect(droppedTo).toBeGreaterThan(endOffset - keptBytes - stepBytes - 4096);
    expectNumbered(await readRange(computer, 's', droppedTo, endOffset - 100), droppedTo - startOffset);
    expect((await computer.sessions.commands('s')).map(({ exitCode }) => exitCode)).toEqual([4]);
    expect(await computer.sessions.close('s')).toMatchObject({ exitCode: 4, endOffset });
  });

  it(
    'drops the oldest output when nobody fetches it, holds up no job, and tells exactly what is missing',
    async () => {
      const { computer } = bench();
      await openSession(bench());
      const { commandSeq } = await computer.sessions.run('s', numbered(500_000));
      const result = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
      expect(result.endOffset - result.startOffset).toBe(500_000 * lineBytes);
      // The prompt is output as well, and may be the byte too many: it is there for a moment before the oldest goes.
      await untilState(computer, 'idle');
      await eventually('no more than the limit is kept', async () => {
        const { droppedTo, endOffset } = await mustFind(computer);
        return endOffset - droppedTo <= unfetchedBytes;
      });
      // The rest of the prompt may come while it is looked at: then again.
      const { droppedTo, endOffset, heard } = await eventually(
        'nothing came while it was followed',
        async () => {
          const before = await mustFind(computer);
          const { heard } = await followed(computer, 0, () => undefined);
          const { droppedTo, endOffset } = await mustFind(computer);
          return droppedTo === before.droppedTo && endOffset === before.endOffset && { ...before, heard };
        },
      );
      expect(endOffset - droppedTo).toBeGreaterThan(unfetchedBytes / 2);
      expect(heard[0]).toEqual({ kind: 'gap', from: 0, to: droppedTo });
      expectWhole(heard, 0, endOffset);
      expect(heard.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
    },
    factDeadlineMs * 2,
  );

  it(
    'tells a follower that is too slow which bytes it missed',
    async () => {
      const { computer } = bench();
      await openSession(bench());
      const { startOffset } = await runToEnd(computer, 'true');
      let goOn: (() => void) | undefined;
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const { commandSeq } = await computer.sessions.run('s', `read x; ${numbered(500_000)}`);
      await untilState(computer, 'waiting');
      const bytesFrom = (await mustFind(computer)).endOffset;
      const listening = followed(computer, startOffset, async () => held);
      await computer.sessions.write('s', utf8('\n'));
      const outcome = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
      expect(outcome).toMatchObject({ exitCode: 0, timedOut: false });
      goOn?.();
      const { heard } = await listening;
      expect(heard.filter(({ kind }) => kind === 'gap').length).toBeGreaterThan(0);
      const { endOffset } = await mustFind(computer);
      expectWhole(heard, startOffset, endOffset);
      for (const part of heard) {
        if (part.kind !== 'bytes' || part.from < bytesFrom + 2 || part.to > outcome.endOffset) continue;
        expectNumbered(part.bytes, part.from - outcome.startOffset - 2);
      }
    },
    factDeadlineMs * 2,
  );
}

type Heard =
  | { kind: 'gap'; from: number; to: number }
  | { kind: 'bytes'; from: number; to: number; bytes: Uint8Array };

/** Follows from `from` until what the log holds was heard or missed. */
async function followed(
  computer: Computer,
  from: number,
  onChunk: () => void | Promise<void>,
): Promise<{ heard: Heard[] }> {
  const heard: Heard[] = [];
  const stop = new AbortController();
  const following = computer.sessions.follow(
    's',
    from,
    async ({ offset, bytes }) => {
      heard.push({ kind: 'bytes', from: offset, to: offset + bytes.length, bytes: bytes.slice() });
      await onChunk();
    },
    stop.signal,
    (gap) => {
      heard.push({ kind: 'gap', ...gap });
    },
  );
  await eventually('everything was heard', async () => {
    const { state, endOffset } = await computer.sessions.state('s');
    return state === 'idle' && heard.at(-1)?.to === endOffset;
  });
  stop.abort();
  expect((await following).reason).toBe('aborted');
  return { heard };
}

function expectWhole(heard: readonly Heard[], from: number, to: number): void {
  let at = from;
  for (const part of heard) {
    expect(part.from).toBe(at);
    at = part.to;
  }
  expect(at).toBe(to);
}
