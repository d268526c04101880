import { Dialog } from '../../components/Dialog';
import { FailureLine } from '../../components/FailureLine';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { closeBranchDialog, lineageLines, openRunAt } from './branches';
import { LineageGraph } from './LineageGraph';

/** A run, where it comes from and its branches, as lines over their steps. */
export function LineageDialog({ run }: { run: string }) {
  const text = useText();
  const words = text.branches;
  const title = useRuns((state) => state.list.find(({ id }) => id === run)?.title ?? run.slice(-6));
  const asked = useAsked('branches.lineage', { run });
  const lines = asked.value === null ? [] : lineageLines(asked.value);
  return (
    <Dialog
      title={words.lineageOf(title)}
      closeLabel={text.common.close}
      width="wide"
      onClose={closeBranchDialog}
    >
      {asked.failure !== null && <FailureLine failure={asked.failure} />}
      {asked.failure === null && asked.value === null && <p className="quiet">{text.common.loading}</p>}
      {lines.length === 1 && <p className="soft lineage-alone">{words.lineageAlone}</p>}
      {lines.length > 0 && (
        <LineageGraph
          lines={lines}
          run={run}
          onOpen={(to, step) => {
            closeBranchDialog();
            attempt(() => openRunAt(to, step));
          }}
        />
      )}
    </Dialog>
  );
}
