import type { RuleValue } from '@shared/contract/rules/rule-settings';
import type { RuleParameterView, RuleView } from '@shared/contract/rules/rule-views';
import { useId, useState } from 'react';
import { Button } from '../../components/Button';
import { CheckLine, FormLine, TextArea, TextField } from '../../components/Field';
import { useText } from '../../text/language';
import { isOn, parsedValue, type RuleDraft, valueIn, withOn, withValue } from './rules';

interface RuleLineProps {
  view: RuleView;
  /** Steps it speaks about in this run. */
  count: number;
  draft: RuleDraft;
  onChange: (draft: RuleDraft) => void;
}

/** One rule: on or off, how often it speaks here, and on demand where it comes from and its parameters. */
export function RuleLine({ view, count, draft, onChange }: RuleLineProps) {
  const text = useText();
  const words = text.rules;
  const [open, setOpen] = useState(false);
  const panel = useId();
  const { id, version, citation, parameters } = view;
  return (
    <li>
      <div className="rules-line">
        <CheckLine
          checked={isOn(draft, view)}
          onChange={(on) => onChange(withOn(draft, view, on))}
          label={text.labels.reasonName(id)}
          help={words.says[id]}
        />
        <span className="tabular text-12">{words.count(count)}</span>
        <span className="mono-11 quiet">{words.version(id, version)}</span>
        <Button
          small
          look="ghost"
          aria-expanded={open}
          aria-controls={panel}
          aria-label={words.detailsOf(text.labels.reasonName(id))}
          onClick={() => setOpen(!open)}
        >
          {words.details}
        </Button>
      </div>
      {open && (
        <div id={panel} className="rules-details">
          <p className="text-12 quiet">{citation}</p>
          {parameters.map((parameter) => (
            <Parameter
              key={parameter.name}
              parameter={parameter}
              value={valueIn(draft, id, parameter)}
              onChange={(value) => onChange(withValue(draft, id, parameter, value))}
            />
          ))}
        </div>
      )}
    </li>
  );
}

interface ParameterProps {
  parameter: RuleParameterView;
  value: RuleValue;
  onChange: (value: RuleValue) => void;
}

function Parameter({ parameter, value, onChange }: ParameterProps) {
  const words = useText().rules;
  const [typed, setTyped] = useState<string | null>(null);
  const { name, otherwise } = parameter;
  if (typeof value === 'boolean')
    return <CheckLine checked={value} onChange={onChange} label={words.parameter(name)} help={name} />;
  const list = typeof value === 'object';
  const shown = typed ?? (list ? value.join('\n') : String(value));
  const wrong = typed !== null && parsedValue(typed, otherwise) === null;
  const type = (text: string) => {
    setTyped(text);
    const parsed = parsedValue(text, otherwise);
    if (parsed !== null) onChange(parsed);
  };
  return (
    <FormLine
      label={words.parameter(name)}
      help={list ? words.onePerLine : name}
      error={wrong ? words.wrong : null}
    >
      {({ id, describedBy, invalid }) =>
        list ? (
          <TextArea
            id={id}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            className="mono-11"
            rows={Math.min(8, Math.max(2, shown.split('\n').length))}
            value={shown}
            onChange={(event) => type(event.target.value)}
          />
        ) : (
          <TextField
            id={id}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            value={shown}
            onChange={(event) => type(event.target.value)}
          />
        )
      }
    </FormLine>
  );
}
