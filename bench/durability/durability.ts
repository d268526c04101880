import { type Bench, type Figure, told } from '../harness';
import { cutPoints } from './cut-points';
import { kills } from './kills';
import { findStrace } from './strace';
import { syncPerAcknowledgement } from './sync-per-acknowledgement';

/** Promises P1 and P2: what was acknowledged outlives the death of the process and of the machine. */
export const durability: Bench = {
  name: 'durability',
  about:
    'syncs per acknowledgement, power cuts of a recorded write log, kill -9 of a run with hints and labels',
  async run(options) {
    const figures: Figure[] = [];
    if (findStrace(options.say)) {
      figures.push(...(await syncPerAcknowledgement(options)), ...(await cutPoints(options)));
    } else {
      const detail = 'strace is missing, so this was not measured';
      for (const name of ['durability-syncs', 'durability-cuts']) {
        figures.push({ ...told(name, Number.NaN, '', { detail }), bar: 'measured', ok: false });
      }
    }
    return [...figures, ...(await kills(options))];
  },
};
