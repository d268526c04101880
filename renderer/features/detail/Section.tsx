import type { ReactNode } from 'react';

export interface SectionProps {
  name: string;
  note?: string | undefined;
  children: ReactNode;
}

/** A named part of a step: name left, content right. */
export function Section({ name, note, children }: SectionProps) {
  return (
    <section className="section" aria-label={name}>
      <h3 className="section-name">
        {name}
        {note !== undefined && note !== '' && <small>{note}</small>}
      </h3>
      <div className="section-content">{children}</div>
    </section>
  );
}
