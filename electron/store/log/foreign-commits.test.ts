import { expect, test, vi } from 'vitest';
import { eventually } from '../../testing/deadline';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { StoreNotice } from '../notices';
import { LabelWork } from '../projections/label-work';

test('labels that another process renews after its entry is stored are told of when they are renewed', async () => {
  const folder = temporaryFolder();
  const [window, other] = [testStore(folder), testStore(folder)];
  const run = await createRun(other);
  const writer = new RunWriter(other, run);
  await writer.start();
  for (let step = 1; step <= 6; step += 1) await writer.command(`echo ${step}`, `${step}`);
  const told: StoreNotice[] = [];
  window.subscribe((notice) => told.push(notice));
  const labels = () => told.filter((notice) => notice.kind === 'labels');
  const values = async () => (await window.reader.heads(run, 2, 4)).map(({ label }) => label.value);
  // As on a busy machine: no time is left for any label in the transaction of the entry.
  const begin = vi.spyOn(LabelWork.prototype, 'begin').mockImplementation(function (
    this: LabelWork,
    id,
    parts,
  ) {
    return this.postpone(id, [...parts]);
  });
  const { finish: renewing } = LabelWork.prototype;
  const finish = vi.spyOn(LabelWork.prototype, 'finish');
  let renew = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    renew = resolve;
  });
  try {
    finish.mockImplementationOnce(async function (this: LabelWork, work, ms) {
      await gate;
      return renewing.call(this, work, ms);
    });
    const stored = other.writer.annotate(
      alice,
      { run, from: 2, to: 4 },
      { op: 'label', value: 'mask', reason: null },
    );
    await eventually('the entry is told of', () => labels().length > 0);
    expect(await values()).toEqual([null, null, null]);
    const before = labels().length;
    renew();
    await stored;
    await eventually('the labels are told of', () => labels().length > before);
    expect(labels().at(-1)).toMatchObject({ run, from: 2, to: 4 });
    expect(await values()).toEqual(['mask', 'mask', 'mask']);
  } finally {
    begin.mockRestore();
    finish.mockRestore();
  }
  await Promise.all([window.close(), other.close()]);
});
