import type { ReactNode } from 'react';
import { FormLine, TextField } from './Field';

export interface LineFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  help?: ReactNode;
  error?: string | null;
  /** What keyboard a touch screen offers, and what the field is for. */
  inputMode?: 'numeric' | 'decimal' | 'text';
  disabled?: boolean;
  maxLength?: number;
  /** What is typed stays hidden. */
  secret?: boolean;
}

/** A line of a form with one field of text. */
export function LineField({
  label,
  value,
  onValue,
  help,
  error = null,
  inputMode = 'text',
  disabled = false,
  maxLength,
  secret = false,
}: LineFieldProps) {
  return (
    <FormLine label={label} help={help} error={error}>
      {({ id, describedBy, invalid }) => (
        <TextField
          id={id}
          type={secret ? 'password' : 'text'}
          inputMode={inputMode}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          disabled={disabled}
          maxLength={maxLength}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </FormLine>
  );
}
