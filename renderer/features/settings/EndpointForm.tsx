import type { Endpoint } from '@shared/contract/settings';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { CheckLine, FormLine, TextField } from '../../components/Field';
import { LineField } from '../../components/LineField';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { type DraftField, draftOf, readDraft } from './endpoint-draft';
import { setKey } from './keys';

export interface EndpointFormProps {
  endpoint: Endpoint | null;
  /** Names of the other endpoints. */
  taken: readonly string[];
  onSave: (endpoint: Endpoint) => void;
  onCancel: () => void;
}

type TextDraftField = Exclude<DraftField, 'sendReasoning' | 'parallelCalls' | 'images'>;
type PriceField = 'priceInput' | 'priceCached' | 'priceOutput';
const fields: readonly Exclude<TextDraftField, PriceField>[] = [
  'name',
  'baseUrl',
  'model',
  'keyEnv',
  'contextTokens',
  'maxTokens',
  'temperature',
];
const prices: readonly PriceField[] = ['priceInput', 'priceCached', 'priceOutput'];

/** One endpoint. A typed key goes straight to the key store (or memory) and is never shown again. */
export function EndpointForm({ endpoint, taken, onSave, onCancel }: EndpointFormProps) {
  const words = useText();
  const text = words.settings;
  const [draft, setDraft] = useState(() => draftOf(endpoint));
  const [key, setTyped] = useState('');
  const [wrong, setWrong] = useState<ReadonlySet<DraftField>>(new Set());

  function save(): void {
    const read = readDraft(draft, taken);
    if (!read.ok) {
      setWrong(read.wrong);
      return;
    }
    attempt(async () => {
      if (key !== '') {
        const kept = await setKey(read.endpoint.name, key, read.endpoint.baseUrl);
        toast((now) => now.settings.keyKept(kept));
      }
      onSave(read.endpoint);
    });
  }

  return (
    <form
      className="endpoint-form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {fields.map((field) => (
        <LineField
          key={field}
          label={text.fields[field]}
          help={text.fieldHelp[field]}
          error={wrong.has(field) ? text.fieldError[field] : null}
          value={draft[field]}
          onValue={(value) => setDraft({ ...draft, [field]: value })}
        />
      ))}
      <LineField secret label={text.key} help={text.keyHelp} value={key} onValue={setTyped} />
      <FormLine label={text.reasoning}>
        {() => (
          <CheckLine
            checked={draft.sendReasoning}
            onChange={(sendReasoning) => setDraft({ ...draft, sendReasoning })}
            label={text.sendReasoning}
          />
        )}
      </FormLine>
      <FormLine label={text.calls}>
        {() => (
          <CheckLine
            checked={draft.parallelCalls}
            onChange={(parallelCalls) => setDraft({ ...draft, parallelCalls })}
            label={text.parallelCalls}
            help={text.parallelCallsHelp}
          />
        )}
      </FormLine>
      <FormLine label={text.images}>
        {() => (
          <CheckLine
            checked={draft.images}
            onChange={(images) => setDraft({ ...draft, images })}
            label={text.takesImages}
            help={text.takesImagesHelp}
          />
        )}
      </FormLine>
      <FormLine
        label={text.prices}
        help={text.pricesHelp}
        error={prices.some((field) => wrong.has(field)) ? text.fieldError.priceInput : null}
      >
        {({ describedBy, invalid }) => (
          <div className="price-fields">
            {prices.map((field) => (
              <div key={field} className="text-12 quiet">
                <span aria-hidden="true">{text.fields[field]}</span>
                <TextField
                  aria-label={text.priceOf(text.fields[field])}
                  inputMode="decimal"
                  aria-describedby={describedBy}
                  aria-invalid={invalid && wrong.has(field)}
                  value={draft[field]}
                  onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
                />
              </div>
            ))}
          </div>
        )}
      </FormLine>
      <div className="row">
        <span className="space" />
        <Button onClick={onCancel}>{words.common.cancel}</Button>
        <Button look="primary" onClick={save}>
          {text.saveEndpoint}
        </Button>
      </div>
    </form>
  );
}
