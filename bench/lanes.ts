import { availableParallelism } from 'node:os';
import { childCommand, finished, start } from './child-process';

/** How many processes count beside one another what takes no time of its own to measure. */
export const cores = availableParallelism();

/**
 * Runs the named child once with each list of arguments, all at once; what each printed as its last line. For counts
 * only: what is timed runs alone.
 */
export async function inLanes<T>(name: string, lanes: readonly (readonly string[])[]): Promise<T[]> {
  return Promise.all(
    lanes.map(async (args, lane) => {
      const { code, signal, out } = await finished(start(childCommand(name, args)));
      if (code !== 0) throw new Error(`Lane ${lane} of "${name}" ended with ${code ?? signal}.`);
      return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as T;
    }),
  );
}

/** The share of a lane when so many are dealt out as evenly as they go. */
export function share(count: number, lane: number, lanes: number): number {
  return Math.floor((count + lane) / lanes);
}
