import './fact-list.css';

export interface FactListProps {
  facts: readonly (readonly [name: string, value: string])[];
  /** Values are versions, ids and the like. */
  mono?: boolean;
}

/** Names and what they stand for, one below the other. */
export function FactList({ facts, mono = false }: FactListProps) {
  return (
    <dl className="fact-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="quiet">{name}</dt>
          <dd className={mono ? 'mono-12' : ''}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
