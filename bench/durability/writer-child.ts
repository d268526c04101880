import { ulid } from 'ulid';
import type { Store } from '../../electron/store/api';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import { Material } from '../engine/material';
import { author, commandStep, creation } from '../engine/run-events';
import { acknowledge } from './acknowledgement';

/**
 * `FOLDER STEPS`: writes a run with hints, labels, session bytes and large texts, one write after the other, and
 * says what was acknowledged.
 */
export async function writeAndAcknowledge([folder = '', count = '']: readonly string[]): Promise<void> {
  const steps = Number(count);
  const material = new Material(7);
  const store = openStoreInProcess(folder);
  const run = ulid();
  const append = async (events: Parameters<Store['writer']['append']>[2]) => {
    const { seq } = await store.writer.append(run, 1, events);
    acknowledge({ kind: 'events', run, seq });
  };
  await append(creation(run, steps));
  let end = 0;
  for (let step = 1; step <= steps; step += 1) {
    // Every fortieth text is too large for a row and gets a file of its own.
    const { action, observation } = commandStep(step, step % 40 === 0 ? 400_000 : 2_000, material);
    await append(action);
    await append(observation);
    if (step % 3 === 0) {
      const target = { run, from: step, to: step };
      const entry = await store.writer.annotate(author, target, { op: 'label', value: 'mask', reason: null });
      acknowledge({ kind: 'annotation', ulid: entry.ulid });
    }
    if (step % 4 === 0) {
      const text = material.prose(80);
      const entry = await store.writer.post(run, author, {
        op: 'hint.queued',
        hint: ulid(),
        text,
        category: 'other',
      });
      acknowledge({ kind: 'outbox', ulid: entry.ulid });
    }
    if (step % 2 === 0) {
      const bytes = Buffer.from(material.log(1_500));
      const receivedAt = Date.now();
      await store.writer.sessionBytes(run, 1, 'main', { offset: end, bytes, receivedAt, hostAt: receivedAt });
      end += bytes.length;
      acknowledge({ kind: 'bytes', run, uid: 'main', end });
    }
  }
  await store.close();
}
