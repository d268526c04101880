import type { DatasetView } from '@shared/contract/export-views';
import { useId, useState } from 'react';
import { Button } from '../../components/Button';
import { FailureLine } from '../../components/FailureLine';
import { Select, TextField } from '../../components/Field';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { openStep } from '../tokens/open-step';
import { Mask } from './DatasetDifferenceView';

/** From a record of a data file to the steps it was made from. */
export function RecordOrigin({ dataset }: { dataset: DatasetView }) {
  const words = useText();
  const text = words.datasets;
  const { count } = words.common.format;
  const id = useId();
  const files = dataset.files.filter(({ records }) => records > 0);
  const [file, setFile] = useState(files[0]?.path ?? '');
  const [typed, setTyped] = useState('1');
  const most = files.find(({ path }) => path === file)?.records ?? 0;
  const record = /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : 0;
  const asked = record >= 1 && record <= most;
  const { value, failure, waiting } = useAsked(
    'datasets.row',
    asked ? { dataset: dataset.id, file, record } : null,
  );
  const runs = useRuns((state) => state.list);
  if (files.length === 0) return null;
  return (
    <section aria-label={text.origin} data-testid="record-origin">
      <h3>{text.origin}</h3>
      <div className="origin-ask">
        {files.length > 1 && (
          <Select<string>
            aria-label={text.file}
            value={file}
            options={files.map(({ path }) => ({ value: path, label: path }))}
            onChoose={setFile}
          />
        )}
        <div className="text-12 row">
          <label className="quiet" htmlFor={id}>
            {text.record}
          </label>
          <TextField
            id={id}
            inputMode="numeric"
            aria-invalid={!asked}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <span className="quiet tabular">{text.ofRecords(count(most))}</span>
        </div>
      </div>
      {!asked && (
        <p className="form-error" role="status">
          {text.recordWrong(count(most))}
        </p>
      )}
      {failure !== null && <FailureLine failure={failure} />}
      {asked && value === null && failure === null && (
        <p className="quiet text-12">{waiting ? words.common.loading : text.noOrigin}</p>
      )}
      {value !== null && (
        <>
          <p className="text-12 origin-row">
            <span>
              {text.originRow(
                runs.find(({ id }) => id === value.run)?.title ?? value.run.slice(-6),
                value.segment,
                value.kind,
              )}
            </span>
            <Button small data-testid="open-origin" onClick={() => openStep(value.run, value.step)}>
              {text.openStep(value.step)}
            </Button>
          </p>
          <ul className="origin-steps text-12">
            {value.steps.map(({ step, mask, reason }) => (
              <li key={step} data-step={step}>
                <button type="button" className="link tabular" onClick={() => openStep(value.run, step)}>
                  {words.labels.scopeStep(step)}
                </button>
                <Mask mask={mask} reason={reason} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
