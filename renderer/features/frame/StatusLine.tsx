import { GUIDELINE_VERSION } from '@shared/labels/guideline';
import { Icon } from '../../components/Icon';
import { useCurrentRun } from '../../state/run/runs';
import { useAnnotatorName } from '../../state/settings';
import { openDialog } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { useUnsaved } from '../labels/annotation-queue';
import { QueueProgress } from '../queue/QueueProgress';
import { IndexNote } from '../search/SearchStatus';
import { CommandKeys } from '../shortcuts/CommandKeys';

/** What is saved, what is decided, who decides. */
export function StatusLine() {
  const text = useText();
  const { format } = text.common;
  const run = useCurrentRun();
  const name = useAnnotatorName();
  const workspace = useWorkspace((state) => state.status);
  const problem = useWorkspace((state) => state.problem);
  const unsaved = useUnsaved((state) => state.unsaved);
  const counts = run?.labels;
  // A branch decides about its own steps only; those it took over are decided where they were made.
  const inherited = run?.parent == null ? 0 : Math.min(run.parent.step, run.steps);
  const decided = counts === undefined ? 0 : counts.train + counts.mask;
  return (
    <footer className="statusline">
      {problem !== null ? (
        <span className="row tone-danger">
          <Icon name="disk" small />
          {text.frame.notSaving}
        </span>
      ) : workspace?.isReadOnly === true ? (
        <span className="row tone-attention">
          <Icon name="warning" small />
          {text.frame.readOnly}
        </span>
      ) : (
        run !== undefined && (
          <span className="row">
            <Icon name={unsaved === 0 ? 'check' : 'working'} small />
            {unsaved === 0 ? text.frame.saved(format.count(run.seq)) : text.frame.saving(unsaved)}
          </span>
        )
      )}
      {run === undefined && workspace?.folder != null && (
        <span className="row cut">
          <Icon name="folder" small />
          {text.frame.folder(
            workspace.folder,
            workspace.freeBytes === null ? text.common.unknown : format.bytes(workspace.freeBytes),
          )}
        </span>
      )}
      {run === undefined && <span>{text.frame.noRuns}</span>}
      {counts !== undefined && inherited > 0 && decided + counts.undecided === 0 && (
        <span data-testid="undecided-count">{text.frame.nothingOwn(format.count(inherited))}</span>
      )}
      {counts !== undefined && (inherited === 0 || decided + counts.undecided > 0) && (
        <>
          <span>{text.frame.decided(format.count(decided), format.count(decided + counts.undecided))}</span>
          <span data-testid="undecided-count">{text.frame.undecided(format.count(counts.undecided))}</span>
          {inherited > 0 && <span>{text.frame.inherited(format.count(inherited))}</span>}
        </>
      )}
      <QueueProgress />
      <span className="space" />
      <IndexNote />
      {run !== undefined && <span>{text.guideline.version(GUIDELINE_VERSION)}</span>}
      {name !== '' && <span>{text.frame.annotator(name)}</span>}
      <button type="button" onClick={() => openDialog('shortcuts')}>
        {text.frame.shortcuts}
        <CommandKeys command="app.shortcuts" />
      </button>
    </footer>
  );
}
