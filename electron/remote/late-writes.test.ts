import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, inject, test } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import { type LateWrite, LateWrites } from './late-writes';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

function pause(at = 1): LateWrite {
  return { id: ulid(), command: 'runs.pause', input: { run, mode: 'now' }, at };
}

async function waitingIn(path: string): Promise<readonly LateWrite[]> {
  const writes = await LateWrites.open(path);
  await writes.close();
  return writes.waiting;
}

test('what waits and what was refused outlives the process, in order; what is done does not', async () => {
  const path = join(temporaryFolder(), 'remote', 'queue.jsonl');
  const [one, two, three, four] = [pause(1), pause(2), pause(3), pause(4)];
  const writes = await LateWrites.open(path);
  for (const write of [one, two, three, four]) await writes.add(write);
  await writes.done(two.id);
  await writes.refuse(one.id, { code: 'run_ended', message: 'It ended.' });
  await writes.close();

  const again = await LateWrites.open(path);
  expect(again.waiting).toEqual([three, four]);
  expect(again.refused).toEqual([{ write: one, failure: { code: 'run_ended', message: 'It ended.' } }]);
  for (const { id } of [one, three, four]) await again.done(id);
  expect(await readFile(path, 'utf8')).toBe('');
  await again.add(two);
  await again.close();
  expect(await waitingIn(path)).toEqual([two]);
});

test('half a line at the end was promised to nobody; a damaged line in the middle is not passed over', async () => {
  const path = join(temporaryFolder(), 'queue.jsonl');
  const kept = pause();
  const writes = await LateWrites.open(path);
  await writes.add(kept);
  await writes.close();
  await appendFile(path, '{"kind":"write","id":"01ARZ3');
  const again = await LateWrites.open(path);
  expect(again.waiting).toEqual([kept]);
  const next = pause(2);
  await again.add(next);
  await again.close();
  expect(await waitingIn(path)).toEqual([kept, next]);

  await writeFile(path, `nonsense\n${await readFile(path, 'utf8')}`);
  await expect(LateWrites.open(path)).rejects.toMatchObject({
    code: 'workspace_corrupt',
    message: expect.stringContaining(`Line 1 of ${path}`),
  });
});

test('kill -9 at any moment loses no write that was confirmed, and doubles none', async () => {
  const path = join(temporaryFolder(), 'queue.jsonl');
  const confirmed: string[] = [];
  const begun = new Set<string>();
  for (let round = 0; round < 8; round += 1) {
    const child = spawn(process.execPath, [join(inject('storeWorkers'), 'late-writes-child.js'), path, run], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (piece: string) => {
      text += piece;
      // Not at the same place every time.
      if (text.split('\n').length > 5 + round * 7) child.kill('SIGKILL');
    });
    await once(child, 'close');
    for (const line of text.split('\n').slice(0, -1)) {
      if (line.startsWith('-')) begun.add(line.slice(1));
      else confirmed.push(line);
    }
    const writes = await LateWrites.open(path);
    const there = writes.waiting.map(({ id }) => id);
    expect(new Set(there).size).toBe(there.length);
    expect(there.filter((id) => confirmed.includes(id))).toEqual(
      confirmed.filter((id) => there.includes(id)),
    );
    // A write whose taking out was under way may be there or not.
    const missing = confirmed.filter((id) => !there.includes(id) && !begun.has(id));
    expect(missing).toEqual([]);
    await writes.close();
  }
  expect(confirmed.length).toBeGreaterThan(50);
});
