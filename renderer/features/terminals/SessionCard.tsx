import { Icon } from '../../components/Icon';
import { healthWords } from '../../text/health-words';
import { useText } from '../../text/language';
import { activityOf, stateWord } from './activity';
import { usePreview } from './session-preview';
import type { Shown } from './sessions-shown';
import { chooseTerminal, idOf, nameOf } from './sessions-shown';
import { isAway, useGpuUse, useShownHost } from './shown-host';

export interface SessionCardProps {
  shown: Shown;
  chosen: boolean;
  /** On the wall a card is large. */
  size: 'card' | 'wall';
  /** Our clock, ms since 1970. */
  now: number;
}

/** One terminal in the list or on the wall: what it does, its last lines, when it last printed, and its link when that is not well. */
export function SessionCard({ shown, chosen, size, now }: SessionCardProps) {
  const text = useText();
  const words = text.terminals;
  const lines = usePreview(shown, size);
  const past = shown.kind === 'agent' ? shown.past : undefined;
  const { alias, health } = useShownHost(shown);
  const gpu = useGpuUse(alias);
  const { lively, words: activity } = activityOf(
    shown.kind === 'agent' ? shown.session.lastByteAt : shown.terminal.lastByteAt,
    text,
    now,
  );
  const troubled = isAway(health) || health?.state === 'degraded';
  const link = healthWords(health, text, now);
  return (
    <li>
      <button
        type="button"
        className={`terminal-card terminal-card-${size}`}
        aria-pressed={chosen}
        data-card={idOf(shown)}
        onClick={() => chooseTerminal(idOf(shown), { enter: shown.kind === 'own' })}
      >
        <span className="terminal-card-head">
          <b className="mono-12 cut">{nameOf(shown)}</b>
          <span className="space" />
          {shown.kind === 'own' && <span className="chip">{words.yours}</span>}
          <span className="text-11 quiet">{stateWord(shown, text)}</span>
        </span>
        <span className="terminal-card-lines mono-11">
          {shown.kind === 'own'
            ? words.ownLines
            : past?.here === false
              ? words.notYetTitle
              : past?.here === null
                ? ''
                : lines.length === 0
                  ? words.silent
                  : lines.join('\n')}
        </span>
        <span className="terminal-card-foot text-11 quiet tabular">
          {activity !== null && <i className={`pulse ${lively ? 'pulse-lively' : ''}`} />}
          <span className="cut">{activity ?? ''}</span>
          <span className="space" />
          {past !== undefined ? null : troubled ? (
            <span className={`terminal-link tone-${link.tone}`} data-health={health?.state}>
              <Icon name={link.icon} small />
              <span className="cut">{link.word}</span>
            </span>
          ) : (
            gpu !== null && <span>{words.gpu(String(gpu.busy), text.common.format.clock(gpu.at))}</span>
          )}
        </span>
      </button>
    </li>
  );
}
