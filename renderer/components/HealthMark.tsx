import type { LinkHealth } from '@shared/contract/computers';
import { healthWords } from '../text/health-words';
import { useText } from '../text/language';
import { Icon } from './Icon';
import './health-mark.css';

export interface HealthMarkProps {
  health: LinkHealth | undefined;
  /** Our clock, ms since 1970. */
  now: number;
}

/** How a link is: glyph and word; only trouble has a colour. */
export function HealthMark({ health, now }: HealthMarkProps) {
  const { icon, word, tone } = healthWords(health, useText(), now);
  return (
    <span className={`health-mark tone-${tone} tabular`} data-health={health?.state ?? 'unknown'}>
      <Icon name={icon} small />
      <span className="cut">{word}</span>
    </span>
  );
}
