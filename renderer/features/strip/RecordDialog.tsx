import type { RunRecord, RunSummary } from '@shared/contract/views';
import { Dialog } from '../../components/Dialog';
import { FactList } from '../../components/FactList';
import { useAsked } from '../../state/answers';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';

/** What the run was started with besides its limits, so that it can be compared with others. */
export function RecordDialog({ run, onClose }: { run: RunSummary; onClose: () => void }) {
  const text = useText();
  const { value, failure } = useAsked('runs.record', { run: run.id });
  return (
    <Dialog title={text.runs.recordTitle} closeLabel={text.common.close} width="small" onClose={onClose}>
      {failure !== null && <p className="tone-danger">{text.frame.failure(failure)}</p>}
      {value !== null && <FactList facts={factsOf(run, value, text)} />}
    </Dialog>
  );
}

function factsOf(run: RunSummary, record: RunRecord, { common, newRun, runs }: Text): [string, string][] {
  const named = (['experiment', 'arm', 'group'] as const).map((field): [string, string] => [
    newRun.recordNames[field],
    record[field] ?? runs.recordNone,
  ]);
  const counted = (['sample', 'seed'] as const).map((field): [string, string] => {
    const value = record[field];
    return [newRun.recordNames[field], value === null ? runs.recordNone : String(value)];
  });
  return [
    [runs.recordRun, run.id],
    [runs.recordStarted, common.format.stamp(run.createdAt)],
    [newRun.taskHint, newRun.taskHintModes[record.taskHint]],
    [runs.recordHints, record.humanHints ? runs.recordHintsOn : runs.recordHintsOff],
    ...named,
    ...counted,
  ];
}
