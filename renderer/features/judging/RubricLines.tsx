import { MOST_TEMPERATURE, MOST_VOTES } from '@shared/judging/batch';
import { Button } from '../../components/Button';
import { CheckLine, FormLine, Select, TextField } from '../../components/Field';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { type JudgeForm, temperatureIn, votesIn } from './judge-form';
import { readRubricFile } from './rubric-file';

interface RubricLinesProps {
  form: JudgeForm;
  /** Of the estimate; empty: not known yet. */
  versions: readonly string[];
  onChange: (change: Partial<JudgeForm>) => void;
  /** Opens the editor for the rubric of the task; null: the runs are of several tasks. */
  onEdit: (() => void) | null;
}

/** What the judges go by: a rubric, and for rewards how steps are rated. */
export function RubricLines({ form, versions, onChange, onEdit }: RubricLinesProps) {
  const words = useText().judging;
  const isMask = form.mode === 'mask';
  const chosen = isMask ? form.maskRubric : form.rewardRubric;
  const file = { value: 'file' as const, label: words.rubricFile(form.file?.name ?? '') };
  const named = <T extends keyof typeof words.rubricOf>(values: readonly T[]) =>
    values.map((value) => ({ value, label: words.rubricOf[value] }));
  const problem =
    chosen !== 'file' || form.file === null || form.file.problem === undefined
      ? null
      : words.badFile[form.file.problem];
  return (
    <>
      <FormLine
        label={words.rubric}
        help={versions.length === 0 ? undefined : words.rubricVersions(versions.join(', '))}
        error={problem}
      >
        {({ id, describedBy, invalid }) => (
          <div className="judge-rubric">
            {isMask ? (
              <Select
                id={id}
                aria-describedby={describedBy}
                aria-invalid={invalid}
                value={form.maskRubric}
                options={[...named(['task', 'built-in'] as const), file]}
                onChoose={(maskRubric) => onChange({ maskRubric })}
              />
            ) : (
              <Select
                id={id}
                aria-describedby={describedBy}
                aria-invalid={invalid}
                value={form.rewardRubric}
                options={[...named(['steps', 'rlanything'] as const), file]}
                onChoose={(rewardRubric) => onChange({ rewardRubric })}
              />
            )}
            {chosen === 'file' && <FileButton onRead={(read) => onChange({ file: read })} />}
            {isMask && chosen !== 'file' && onEdit !== null && (
              <Button onClick={onEdit}>{words.editRubric}</Button>
            )}
          </div>
        )}
      </FormLine>
      {!isMask && <Rating form={form} onChange={onChange} />}
    </>
  );
}

function FileButton({ onRead }: { onRead: (file: Awaited<ReturnType<typeof readRubricFile>>) => void }) {
  const words = useText().judging;
  return (
    <label className="button button-plain judge-file">
      {words.chooseFile}
      <input
        type="file"
        aria-label={words.rubricFileField}
        accept=".md,.txt,text/plain,text/markdown"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) attempt(async () => onRead(await readRubricFile(file)));
          // The same file may be chosen again after it was changed.
          target.value = '';
        }}
      />
    </label>
  );
}

function Rating({ form, onChange }: Pick<RubricLinesProps, 'form' | 'onChange'>) {
  const words = useText().judging;
  const [badVotes, badTemperature] = [votesIn(form) === null, temperatureIn(form) === null];
  const error = badVotes
    ? words.badVotes(MOST_VOTES)
    : badTemperature
      ? words.badTemperature(MOST_TEMPERATURE)
      : null;
  return (
    <FormLine label={words.votesPerStep} error={error}>
      {({ id, describedBy }) => (
        <div className="judge-rating text-12">
          <TextField
            id={id}
            inputMode="numeric"
            aria-describedby={badVotes ? describedBy : undefined}
            aria-invalid={badVotes}
            value={form.votes}
            onChange={(event) => onChange({ votes: event.target.value })}
          />
          <label htmlFor={`${id}-temperature`}>
            {words.temperature}
            <TextField
              id={`${id}-temperature`}
              inputMode="decimal"
              aria-describedby={badTemperature ? describedBy : undefined}
              aria-invalid={badTemperature}
              value={form.temperature}
              onChange={(event) => onChange({ temperature: event.target.value })}
            />
          </label>
          <CheckLine checked={form.future} label={words.future} onChange={(future) => onChange({ future })} />
        </div>
      )}
    </FormLine>
  );
}
