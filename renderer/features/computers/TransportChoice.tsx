import type { TransportKind } from '@shared/contract/computers';
import { useId } from 'react';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';

export interface TransportChoiceProps {
  chosen: TransportKind;
  /** What the built-in connection cannot do for this host, by name. */
  needsOpenSsh: readonly string[];
  onChoose: (transport: TransportKind) => void;
}

/** Built-in connection or the system's client, and why one would take the other. */
export function TransportChoice({ chosen, needsOpenSsh, onChoose }: TransportChoiceProps) {
  const text = useText().computers;
  const id = useId();
  const options: { kind: TransportKind; label: string; help: string }[] = [
    { kind: 'ssh2', label: text.ssh2, help: text.ssh2Text },
    { kind: 'openssh', label: text.openssh, help: text.opensshText },
  ];
  return (
    <fieldset className="transport" aria-label={text.transport}>
      {options.map(({ kind, label, help }) => (
        <div key={kind} className="check-line">
          <input
            id={`${id}-${kind}`}
            name={id}
            type="radio"
            className="radio"
            checked={chosen === kind}
            onChange={() => onChoose(kind)}
          />
          <label htmlFor={`${id}-${kind}`} className="text-12">
            {label} <span className="quiet">{help}</span>
          </label>
        </div>
      ))}
      {chosen === 'ssh2' && needsOpenSsh.length > 0 && (
        <p className="transport-needs">
          <Icon name="warning" className="tone-attention" />
          <span>{text.needsOpenSsh(needsOpenSsh.join(', '))}</span>
        </p>
      )}
    </fieldset>
  );
}
