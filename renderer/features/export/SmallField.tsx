import { type ComponentPropsWithRef, useId } from 'react';
import { TextField } from '../../components/Field';

/** A short field under its own small label, where several stand in a line. */
export function SmallField({ label, ...rest }: ComponentPropsWithRef<'input'> & { label: string }) {
  const id = useId();
  return (
    <div className="small-field">
      <label htmlFor={id} className="text-12 quiet">
        {label}
      </label>
      <TextField id={id} {...rest} />
    </div>
  );
}
