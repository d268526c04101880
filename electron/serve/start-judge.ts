import { judgeLog } from '../files/workspace-paths';
import type { ApartOptions } from '../judging/batch-apart';
import { priceWord } from '../model/price-word';
import { type Driver, type DriverOptions, startDriver } from './start-driver';

interface JudgeProcessOptions extends Pick<DriverOptions, 'entry' | 'folder' | 'keys'>, ApartOptions {}

/** Works on a batch of a judge in a process of its own. @throws WaymarkError its log cannot be made */
export function startJudge(
  batch: string,
  { price, isTaken, ...options }: JudgeProcessOptions,
): Promise<Driver> {
  return startDriver({
    ...options,
    what: `batch ${batch}`,
    words: ['judge', 'resume', batch, ...(price === null ? [] : ['--price', priceWord(price)])],
    log: judgeLog(options.folder, batch),
    isTaken,
  });
}
