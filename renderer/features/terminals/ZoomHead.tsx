import { IconButton } from '../../components/Button';
import { HealthMark } from '../../components/HealthMark';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';
import { activityOf, stateWord } from './activity';
import type { Shown } from './sessions-shown';
import { nameOf } from './sessions-shown';
import { isAway, useGpuUse, useShownHost } from './shown-host';

export interface ZoomHeadProps {
  shown: Extract<Shown, { kind: 'agent' }>;
  now: number;
  onFind: () => void;
}

/** Over the zoomed session: what it is, what runs in it, and how it and its computer are. */
export function ZoomHead({ shown, now, onFind }: ZoomHeadProps) {
  const text = useText();
  const words = text.terminals;
  const { format } = text.common;
  const { alias, health } = useShownHost(shown);
  const gpu = useGpuUse(alias);
  const { session: view } = shown;
  // The computer's link and GPUs are as they are now.
  const past = shown.past !== undefined;
  const away = !past && isAway(health);
  const activity = activityOf(view.lastByteAt, text, now).words;
  const { gaps } = view;
  return (
    <header className="terminal-head">
      <b className="mono-12">{nameOf(shown)}</b>
      <span className="mono-12 quiet cut">{view.command ?? ''}</span>
      <span className="space" />
      {alias !== null && !away && !past && <HealthMark health={health} now={now} />}
      {gpu !== null && !past && (
        <span className="text-12 quiet tabular terminal-head-more">
          {words.gpu(String(gpu.busy), format.clock(gpu.at))}
        </span>
      )}
      {gaps.length > 0 && (
        <span
          className="chip chip-danger"
          title={gaps.map(({ from, to }) => words.gapText(format.count(from), format.count(to))).join('\n')}
        >
          {words.gaps(gaps.length)}
        </span>
      )}
      <span className="text-12 quiet tabular terminal-head-more">{`${view.cols}×${view.rows}`}</span>
      <span className="text-12 quiet tabular" title={activity ?? undefined}>
        {away && view.lastByteAt !== null
          ? words.asOf(format.clock(view.lastByteAt))
          : stateWord(shown, text)}
      </span>
      <span className="chip" title={words.readOnlyText}>
        <Icon name="eye" small />
        {words.readOnly}
      </span>
      <IconButton icon="search" small label={words.find} onClick={onFind} />
    </header>
  );
}
