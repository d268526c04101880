import type { MenuItem } from '../../components/Menu';
import type { Text } from '../../text/en';
import { branchFromCursor, openBranchDialog } from './branches';

/** What the run's menu offers about checkpoints and branches. */
export function branchItems(run: string, text: Text, line: boolean): MenuItem[] {
  const words = text.branches;
  return [
    {
      ...{ id: 'checkpoints', label: words.checkpoints, text: words.checkpointsText, icon: 'disk', line },
      run: () => openBranchDialog({ name: 'checkpoints', run }),
    },
    {
      ...{ id: 'branch', label: words.branch, text: words.branchText, icon: 'branch' },
      run: () => branchFromCursor(),
    },
    {
      ...{ id: 'lineage', label: words.lineage, text: words.lineageText, icon: 'list' },
      run: () => openBranchDialog({ name: 'lineage', run }),
    },
  ];
}
