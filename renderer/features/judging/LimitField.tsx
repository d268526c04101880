import type { ReactNode } from 'react';
import { FormLine, TextField } from '../../components/Field';
import { useText } from '../../text/language';

interface LimitFieldProps {
  /** Judges that are asked. */
  judges: number;
  value: string;
  /** Each has a price: without one nothing can be limited. */
  priced: boolean;
  isBad: boolean;
  help?: ReactNode;
  onChange(value: string): void;
}

/** The limit in money of what judges are asked. */
export function LimitField({ judges, value, priced, isBad, help, onChange }: LimitFieldProps) {
  const words = useText().judging;
  return (
    <FormLine
      label={words.limit(judges)}
      error={isBad ? words.badLimit : null}
      help={priced ? help : words.limitNeedsPrice(judges)}
    >
      {({ id, describedBy, invalid }) => (
        <TextField
          id={id}
          className="judge-number"
          inputMode="decimal"
          aria-describedby={describedBy}
          aria-invalid={invalid}
          disabled={!priced}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </FormLine>
  );
}
