import type { datasetCommands } from '@shared/contract/ipc/dataset';
import { exportOptions } from '../dataset/export-request';
import { PlanDesk } from '../dataset/plan-desk';
import type { Store } from '../store/api';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

/** Notices after which a plan may be another one. */
const changing: ReadonlySet<string> = new Set(['run', 'labels', 'foreign', 'rebuild']);

/** What an export would write: its counts, and its rows page by page. Both come from one plan for as long as nothing changes. */
export function planReads(
  holder: WorkbenchHolder,
): Pick<HandlersOf<typeof datasetCommands>, 'export.preview' | 'export.rows'> {
  const desks = new WeakMap<Store, PlanDesk>();
  const desk = () => {
    const { store } = holder.require();
    const known = desks.get(store);
    if (known !== undefined) return known;
    const made = new PlanDesk(store.reader);
    store.subscribe(({ kind }) => {
      if (changing.has(kind)) made.forget();
    });
    desks.set(store, made);
    return made;
  };
  return {
    'export.preview': (input) => desk().preview(exportOptions(input)),
    'export.rows': ({ options, ...page }) => desk().rows(exportOptions(options), page),
  };
}
