import { WaymarkError } from '@shared/contract/errors';
import type { RunState } from '@shared/contract/views';
import type { StoreReader } from '../../store/api';

/** States in which some process drives the run. */
const driven: ReadonlySet<RunState> = new Set([
  'thinking',
  'acting',
  'sleeping',
  'waiting_host',
  'waiting_human',
]);

/**
 * Nothing about a host is changed under a run that uses it. `what`: "Removing", "Changing the connection of".
 * @throws WaymarkError refused, with the titles of the runs that some process drives there
 */
export async function refuseWhileDriven(
  reader: Pick<StoreReader, 'runs'>,
  alias: string,
  what: string,
): Promise<void> {
  const titles = (await reader.runs())
    .filter((run) => driven.has(run.state) && run.computers.some(({ host }) => host === alias))
    .map(({ title }) => title);
  if (titles.length > 0) {
    throw new WaymarkError(
      'refused',
      `${what} ${alias} is not possible while a run is driven on it: ${titles.join(', ')}. Pause it first.`,
    );
  }
}
