import type { ObservationView } from '@shared/views';
import { useMemo } from 'react';
import { actionCode } from '../../state/action-code';
import { useText } from '../../text/language';
import { BoundedText } from './BoundedText';
import { Section } from './Section';

export interface ActionBlockProps {
  observation: ObservationView;
  index: number;
  of: number;
}

/** One call and its one observation, with what guards and errors said. */
export function ActionBlock({ observation, index, of }: ActionBlockProps) {
  const text = useText();
  const words = text.detail;
  const pieces = useMemo(() => actionCode(observation), [observation]);
  const took =
    observation.durationMs === null ? undefined : text.common.format.duration(observation.durationMs);
  const closed = observation.closedBy === null ? '' : words.closedBy(observation.closedBy);
  return (
    <>
      <Section name={of > 1 ? words.actionOf(index + 1, of) : words.action}>
        <pre className="code code-wrap">
          {pieces.map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one call never move
            <span key={at} className={`syntax-${piece.kind}`}>
              {piece.text}
            </span>
          ))}
        </pre>
        {observation.invalid !== null && <p className="section-line tone-danger">{observation.invalid}</p>}
        {observation.guards.map((guard) => (
          <p key={`${guard.rule}-${guard.message}`} className="section-line text-12 tone-attention">
            {`${guard.level === 'refuse' ? words.guardRefuse : words.guardWarn}: ${guard.message} `}
            <span className="mono-11 quiet">{guard.rule}</span>
          </p>
        ))}
      </Section>
      <Section name={words.observation} note={[took, closed].filter(Boolean).join(', ')}>
        {observation.error !== null && (
          <p className="section-line tone-danger">
            {observation.error.message} <span className="mono-11">{observation.error.code}</span>
          </p>
        )}
        {observation.ok === null ? (
          <p className="section-line quiet">{words.noObservation}</p>
        ) : (
          <BoundedText text={observation.text} look="code" lines={24} />
        )}
      </Section>
    </>
  );
}
