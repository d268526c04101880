import type { ObservationView } from '@shared/contract/views';
import { useMemo } from 'react';
import { useText } from '../../text/language';
import { StepImage } from '../images/StepImage';
import { imagesOf } from '../rendering/data-images';
import { ImageList } from '../rendering/ImageList';
import { RenderedText } from '../rendering/RenderedText';
import { ActionCall } from './ActionCall';
import { Section } from './Section';

export interface ActionBlockProps {
  /** The run that made the step. */
  run: string;
  observation: ObservationView;
  index: number;
  of: number;
}

/** One call and its one observation, with what guards and errors said. */
export function ActionBlock({ run, observation, index, of }: ActionBlockProps) {
  const text = useText();
  const words = text.detail;
  const images = useMemo(() => imagesOf(observation.data), [observation.data]);
  const { name, data } = observation;
  const shown = useMemo(() => (/^(?:edit|create)_/.test(name) ? undefined : shownFile(data)), [name, data]);
  const took =
    // Nothing at all stands for not known, as in imported logs.
    observation.durationMs === null || observation.durationMs === 0
      ? undefined
      : text.common.format.duration(observation.durationMs);
  const closed = observation.closedBy === null ? '' : words.closedBy(observation.closedBy);
  return (
    <>
      <Section name={of > 1 ? words.actionOf(index + 1, of) : words.action}>
        <ActionCall observation={observation} />
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
        <ImageList images={images} />
        {observation.ok === null ? (
          <p className="section-line quiet">{words.noObservation}</p>
        ) : (
          <RenderedText text={observation.text} hint={{ origin: 'program', path: shown }} lines={24} />
        )}
        {observation.images.map((image, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the images of one observation never move
          <StepImage key={at} run={run} image={image} />
        ))}
      </Section>
    </>
  );
}

/** The file whose lines are shown. They have their numbers before them, which are no markdown. */
function shownFile({ path, startLine }: Record<string, unknown>): string | undefined {
  const content = typeof path === 'string' && typeof startLine === 'number';
  return content && !/\.(?:md|markdown)$/i.test(path) ? path : undefined;
}
