import { cutInLane } from './durability/cut-lane';
import { driveUntilKilled } from './durability/engine-child';
import { killInLane } from './durability/kills';
import { writeAndAcknowledge } from './durability/writer-child';
import { parseInLane } from './engine/parser-lane';
import { exportOnce } from './long/export-large';
import { serveJudge } from './review/judge-endpoint';
import { labelUntilKilled } from './review/kill-labels';
import { storeFlood } from './ssh/flood-child';
import { storeUntilKilled } from './ssh/output-child';

/** Parts of a bench that need a process of their own, because that process is traced or killed. */
const children: Record<string, (args: readonly string[]) => Promise<void>> = {
  writer: writeAndAcknowledge,
  engine: driveUntilKilled,
  cuts: cutInLane,
  kills: killInLane,
  'judge-endpoint': serveJudge,
  labels: labelUntilKilled,
  export: exportOnce,
  parsers: parseInLane,
  'ssh-output': storeUntilKilled,
  'ssh-flood': storeFlood,
};

/** Runs the named child in this process; the exit code. */
export async function runChild(name: string, args: readonly string[]): Promise<number> {
  const child = children[name];
  if (child === undefined) throw new Error(`There is no child "${name}".`);
  await child(args);
  return 0;
}
