import { createProjector } from '../../electron/store/projections/projector';
import { openStore } from '../../electron/store/threads/client';
import { verifyWorkspace } from '../../electron/store/verify/verify';
import type { RealisticWorkspace } from '../../electron/testing/realistic-run';
import { type Figure, figure, shorten, told } from '../harness';

/** How often another reader asks during a rebuild, ms. */
const ASK_MS = 50;

/** Chains and texts: what was recorded. */
export async function measureVerify({ folder, events, textBytes }: RealisticWorkspace): Promise<Figure> {
  const before = performance.now();
  const report = await verifyWorkspace(folder, createProjector(), undefined, 'logs');
  const seconds = (performance.now() - before) / 1000;
  if (!report.ok) throw new Error(`The run is damaged: ${JSON.stringify(report).slice(0, 500)}`);
  const detail = `${events} events, ${shorten(textBytes / 1e6)} MB of text`;
  return figure('verify', seconds, 's', { is: '≤', value: 15 }, { detail });
}

/** Everything that is derived, the search index included, while somebody else reads. */
export async function measureRebuild({ folder, run, steps }: RealisticWorkspace): Promise<Figure[]> {
  const store = await openStore(folder, { ballastBytes: 0 });
  let worst = 0;
  const ask = setInterval(() => {
    const asked = performance.now();
    void store.reader.heads(run, 1, 50).then(() => {
      worst = Math.max(worst, performance.now() - asked);
    });
  }, ASK_MS);
  try {
    const before = performance.now();
    const seconds = () => (performance.now() - before) / 1000;
    let [derived, indexed] = [0, 0];
    await store.writer.rebuildSearch();
    const [{ changed }] = await Promise.all([
      store.writer.rebuild(run).then((done) => {
        derived = seconds();
        return done;
      }),
      untilIndexed(store.reader).then(() => {
        indexed = seconds();
      }),
    ]);
    if (changed > 0) throw new Error(`${changed} rows were not as the log says.`);
    const detail = `${steps} steps; rows and labels ${shorten(derived)} s, beside it the search index ${shorten(indexed)} s`;
    return [
      figure('rebuild', seconds(), 's', { is: '≤', value: 120 }, { detail }),
      told('read-during-rebuild', worst, 'ms', { detail: 'the slowest answer to another reader' }),
    ];
  } finally {
    clearInterval(ask);
    await store.close();
  }
}

async function untilIndexed(reader: { indexProgress(): Promise<{ behind: number }> }): Promise<void> {
  while ((await reader.indexProgress()).behind > 0) {
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
}
