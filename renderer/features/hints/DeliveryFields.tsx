import type { RunSummary, SessionView } from '@shared/contract/views';
import type { HintDelivery } from '@shared/log/outbox';
import { Select, TextField } from '../../components/Field';
import { useNewest } from '../../state/answers';
import { useText } from '../../text/language';

const moments = [
  'next_step',
  'wake',
  'session_idle',
  'score_changes',
  'gpu_idle',
  'error_streak',
] as const satisfies HintDelivery['when'][];

export interface DeliveryProps {
  deliver: HintDelivery;
  onChange: (deliver: HintDelivery) => void;
}

/** When a hint is delivered: the moment. What a condition needs to know stands in `DeliveryDetails`. */
export function DeliverySelect({ deliver, onChange }: DeliveryProps) {
  const words = useText().hints;
  return (
    <Select<HintDelivery['when']>
      small
      className="compose-deliver"
      aria-label={words.deliverTo}
      value={deliver.when}
      options={moments.map((value) => ({ value, label: words.deliverName(value) }))}
      onChoose={(when) => onChange(beginning(when))}
    />
  );
}

/** A condition as it is first proposed. */
function beginning(when: HintDelivery['when']): HintDelivery {
  switch (when) {
    case 'session_idle':
      return { when, computer: '', session: '' };
    case 'gpu_idle':
      return { when, computer: '', minutes: 10 };
    case 'error_streak':
      return { when, steps: 3 };
    default:
      return { when };
  }
}

export function hasDetails(deliver: HintDelivery): boolean {
  return deliver.when === 'session_idle' || deliver.when === 'gpu_idle' || deliver.when === 'error_streak';
}

/** What a condition needs to know: which session, which computer and how long, how many steps. */
export function DeliveryDetails({ deliver, onChange, run }: DeliveryProps & { run: RunSummary }) {
  const words = useText().hints;
  switch (deliver.when) {
    case 'session_idle':
      return <SessionChoice run={run} deliver={deliver} onChange={onChange} />;
    case 'gpu_idle':
      return (
        <span className="row compose-details">
          <Select
            small
            className="compose-where"
            aria-label={words.whichComputer}
            value={deliver.computer}
            options={[
              { value: '', label: words.anyComputer },
              ...run.computers
                .filter(({ evaluator }) => evaluator !== true)
                .map(({ name }) => ({ value: name, label: name })),
            ]}
            onChoose={(computer) => onChange({ ...deliver, computer })}
          />
          <NumberField
            label={words.forMinutes}
            value={deliver.minutes}
            from={1}
            to={1_440}
            onChange={(minutes) => onChange({ ...deliver, minutes })}
          />
        </span>
      );
    case 'error_streak':
      return (
        <span className="row compose-details">
          <NumberField
            label={words.errorsInRow}
            value={deliver.steps}
            from={2}
            to={100}
            onChange={(steps) => onChange({ ...deliver, steps })}
          />
        </span>
      );
    default:
      return null;
  }
}

interface SessionChoiceProps {
  run: RunSummary;
  deliver: Extract<HintDelivery, { when: 'session_idle' }>;
  onChange: (deliver: HintDelivery) => void;
}

function SessionChoice({ run, deliver, onChange }: SessionChoiceProps) {
  const words = useText().hints;
  const sessions = useNewest('sessions.list', { run: run.id })?.value ?? [];
  const known = sessions.filter((session) => session.state !== 'ended' && session.state !== 'lost');
  const chosen = deliver.session === '' ? '' : keyOf(deliver);
  const options = known.map((session) => ({
    value: keyOf(session),
    label: words.sessionOn(session.session, session.computer),
  }));
  if (chosen !== '' && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: words.sessionOn(deliver.session, deliver.computer) });
  return (
    <span className="row compose-details">
      <Select
        small
        className="compose-where"
        aria-label={words.whichSession}
        value={chosen}
        options={[{ value: '', label: words.anySession }, ...options]}
        onChoose={(value) => {
          const session = known.find((each) => keyOf(each) === value);
          onChange({
            when: 'session_idle',
            computer: session?.computer ?? '',
            session: session?.session ?? '',
          });
        }}
      />
      <span className="text-12 quiet">{words.isIdleAgain}</span>
    </span>
  );
}

function keyOf({ computer, session }: Pick<SessionView, 'computer' | 'session'>): string {
  return `${computer}:${session}`;
}

interface NumberFieldProps {
  label: string;
  value: number;
  from: number;
  to: number;
  onChange: (value: number) => void;
}

/** A small whole number with its word; what is out of range is brought back when the field is left. */
function NumberField({ label, value, from, to, onChange }: NumberFieldProps) {
  return (
    <>
      <TextField
        type="number"
        className="compose-number"
        aria-label={label}
        min={from}
        max={to}
        defaultValue={value}
        onChange={(event) => {
          const typed = event.target.valueAsNumber;
          if (Number.isInteger(typed) && typed >= from && typed <= to) onChange(typed);
        }}
        onBlur={(event) => {
          event.target.value = String(value);
        }}
      />
      <span className="text-12 quiet">{label}</span>
    </>
  );
}
