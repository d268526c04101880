import type { Endpoint } from '@shared/contract/settings';
import { Button, IconButton } from '../../components/Button';
import { Select, TextField } from '../../components/Field';
import { useText } from '../../text/language';
import {
  type JudgeForm,
  type JudgeLine,
  MOST_JUDGES,
  sameName,
  signedBy,
  withJudge,
  withoutJudge,
} from './judge-form';

/** As the votes may be signed at most, in characters. */
export const MOST_NAME = 80;

interface JudgesLineProps {
  form: JudgeForm;
  endpoints: readonly Endpoint[];
  onChange: (form: JudgeForm) => void;
}

/** Who is asked: a model and the name that signs its votes, once for each judge. */
export function JudgesLine({ form, endpoints, onChange }: JudgesLineProps) {
  const words = useText().judging;
  const { judges } = form;
  const twice = sameName(form);
  const change = (key: number, part: Partial<JudgeLine>) =>
    onChange({ ...form, judges: judges.map((each) => (each.key === key ? { ...each, ...part } : each)) });
  return (
    <div className="form-line">
      <span className="form-label">{words.judges}</span>
      <fieldset className="judge-lines" aria-label={words.judges} aria-describedby="judge-names">
        {judges.map(({ key, endpoint, name }, index) => (
          <div key={key} className="judge-line">
            <Select
              aria-label={words.endpoint(index + 1, judges.length)}
              title={endpoints.find((each) => each.name === endpoint)?.baseUrl}
              value={endpoint}
              options={endpoints.map((each) => ({ value: each.name, label: `${each.name} (${each.model})` }))}
              onChoose={(chosen) => change(key, { endpoint: chosen })}
            />
            <TextField
              aria-label={words.name(index + 1, judges.length)}
              value={name}
              aria-invalid={twice !== null && signedBy({ key, endpoint, name }) === twice}
              maxLength={MOST_NAME}
              placeholder={endpoint}
              onChange={(event) => change(key, { name: event.target.value })}
            />
            {judges.length > 1 && (
              <IconButton
                icon="close"
                look="ghost"
                label={words.removeJudge(index + 1)}
                onClick={() => onChange(withoutJudge(form, key))}
              />
            )}
          </div>
        ))}
        {judges.length < MOST_JUDGES && (
          <Button small look="ghost" icon="plus" onClick={() => onChange(withJudge(form, endpoints))}>
            {words.addJudge}
          </Button>
        )}
      </fieldset>
      {twice === null ? (
        <div id="judge-names" className="form-help">
          {words.nameHelp}
        </div>
      ) : (
        <div id="judge-names" className="form-error" role="alert">
          {words.sameName(twice)}
        </div>
      )}
    </div>
  );
}
