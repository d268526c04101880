import type { CommandInput } from '@shared/contract/ipc';
import { LineField } from '../../components/LineField';
import { useText } from '../../text/language';
import { wholeNumberIn } from './limits';

/** The fields as they are typed. */
export const noRecord = { experiment: '', arm: '', group: '', sample: '', seed: '' };
export const recordFields = ['experiment', 'arm', 'group', 'sample', 'seed'] as const;
type Record = typeof noRecord;

type Recorded = Pick<CommandInput<'runs.start'>, 'experiment' | 'arm' | 'group' | 'sample' | 'seed'>;

/** What a run is recorded with; null while sample or seed is no whole number. */
export function recordOf(record: Record): Recorded | null {
  const sample = wholeNumberIn(record.sample);
  const seed = wholeNumberIn(record.seed);
  if (sample === false || seed === false) return null;
  const [experiment, arm, group] = [record.experiment, record.arm, record.group].map((typed) => typed.trim());
  return {
    experiment: experiment || null,
    ...(arm ? { arm } : {}),
    ...(group ? { group } : {}),
    ...(sample === null ? {} : { sample }),
    ...(seed === null ? {} : { seed }),
  };
}

/** What a run is compared by: the experiment and its place in it. */
export function RecordFields({ record, onRecord }: { record: Record; onRecord: (record: Record) => void }) {
  const text = useText().newRun;
  return (
    <>
      {recordFields.map((field) => {
        const isNumber = field === 'sample' || field === 'seed';
        return (
          <LineField
            key={field}
            label={text.recordNames[field]}
            help={text.recordHelp[field]}
            error={isNumber && wholeNumberIn(record[field]) === false ? text.notWhole : null}
            inputMode={isNumber ? 'numeric' : 'text'}
            maxLength={80}
            value={record[field]}
            onValue={(value) => onRecord({ ...record, [field]: value })}
          />
        );
      })}
    </>
  );
}
