import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useId } from 'react';

export interface FormLineProps {
  label: string;
  help?: ReactNode;
  error?: string | null;
  /** Gets the ids that tie the control to its label, help and error. */
  children: (ids: { id: string; describedBy: string | undefined; invalid: boolean }) => ReactNode;
}

/** One line of a form: label left, control right, help or error under it. */
export function FormLine({ label, help, error = null, children }: FormLineProps) {
  const id = useId();
  const described = error !== null || help !== undefined ? `${id}-help` : undefined;
  return (
    <div className="form-line">
      <label htmlFor={id}>{label}</label>
      {children({ id, describedBy: described, invalid: error !== null })}
      {error !== null ? (
        <div id={described} className="form-error" role="alert">
          {error}
        </div>
      ) : (
        help !== undefined && (
          <div id={described} className="form-help">
            {help}
          </div>
        )
      )}
    </div>
  );
}

/** A text field; label it with `aria-label` or inside a `FormLine`. */
export function TextField({ className = '', ...rest }: ComponentPropsWithRef<'input'>) {
  return (
    <input type="text" className={`field ${className}`} autoComplete="off" spellCheck={false} {...rest} />
  );
}

export function TextArea({ className = '', ...rest }: ComponentPropsWithRef<'textarea'>) {
  return <textarea className={`field ${className}`} {...rest} />;
}

export interface SelectOption<T extends string> {
  value: T;
  label: string;
  disabled?: boolean;
}

export interface SelectProps<T extends string>
  extends Omit<ComponentPropsWithRef<'select'>, 'onChange' | 'value'> {
  value: T;
  options: readonly SelectOption<T>[];
  onChoose: (value: T) => void;
  small?: boolean;
}

/** The system's own list, in our frame. */
export function Select<T extends string>({
  value,
  options,
  onChoose,
  small = false,
  className = '',
  ...rest
}: SelectProps<T>) {
  return (
    <select
      className={`field select ${small ? 'select-small' : ''} ${className}`}
      value={value}
      onChange={(event) => {
        const chosen = options.find((option) => option.value === event.target.value);
        if (chosen !== undefined) onChoose(chosen.value);
      }}
      {...rest}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} disabled={option.disabled ?? false}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

export interface CheckLineProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  help?: string;
  disabled?: boolean;
}

/** A checkbox with its sentence. */
export function CheckLine({ checked, onChange, label, help, disabled = false }: CheckLineProps) {
  const id = useId();
  return (
    <div className="check-line">
      <input
        id={id}
        type="checkbox"
        className="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id} className="text-12">
        {label}
        {help !== undefined && <span className="quiet text-12">{` ${help}`}</span>}
      </label>
    </div>
  );
}
