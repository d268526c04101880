import { useCommand } from '../../state/keys/commands';
import { useRuns } from '../../state/run/runs';
import { BranchDialog } from './BranchDialog';
import { branchFromCursor, openBranchDialog, useBranches } from './branches';
import './branches.css';
import { CheckpointsDialog } from './CheckpointsDialog';
import { LineageDialog } from './LineageDialog';

/** The dialog about checkpoints and branches that is open, if any. */
export function BranchDialogs() {
  const dialog = useBranches((state) => state.dialog);
  const run = useRuns((state) => state.current);
  useCommand('run.branch', branchFromCursor);
  useCommand('run.checkpoints', () => {
    if (run === null) return false;
    openBranchDialog({ name: 'checkpoints', run });
  });
  useCommand('run.lineage', () => {
    if (run === null) return false;
    openBranchDialog({ name: 'lineage', run });
  });
  if (dialog === null) return null;
  if (dialog.name === 'checkpoints') return <CheckpointsDialog run={dialog.run} />;
  if (dialog.name === 'lineage') return <LineageDialog run={dialog.run} />;
  return <BranchDialog key={`${dialog.run} ${dialog.step}`} run={dialog.run} step={dialog.step} />;
}
