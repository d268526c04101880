import { IconButton } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { closeOwnTerminal } from '../../state/own-terminals';
import type { Shown } from '../../state/sessions-shown';
import { nameOf } from '../../state/sessions-shown';
import { useText } from '../../text/language';
import { HealthMark } from '../computers/HealthMark';
import { CommandKeys } from '../frame/CommandKeys';
import { activityOf, stateWord } from './activity';
import { isAway, useGpuUse, useShownHost } from './shown-host';

/** Over the zoomed terminal: what it is, what runs in it, how it and its computer are, and whether it can be typed into. */
export function ZoomHead({ shown, now, onFind }: { shown: Shown; now: number; onFind: () => void }) {
  const text = useText();
  const words = text.terminals;
  const { format } = text.common;
  const { alias, health } = useShownHost(shown);
  const gpu = useGpuUse(alias);
  const view = shown.kind === 'agent' ? shown.session : shown.terminal;
  // The computer's link and GPUs are as they are now.
  const past = shown.kind === 'agent' && shown.past !== undefined;
  const away = !past && isAway(health);
  const activity = activityOf(view.lastByteAt, text, now).words;
  const gaps = shown.kind === 'agent' ? shown.session.gaps : [];
  return (
    <header className="terminal-head">
      <b className="mono-12">{nameOf(shown)}</b>
      {shown.kind === 'agent' && <span className="mono-12 quiet cut">{shown.session.command ?? ''}</span>}
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
      {shown.kind === 'agent' ? (
        <span className="chip" title={words.readOnlyText}>
          <Icon name="eye" small />
          {words.readOnly}
        </span>
      ) : (
        <>
          <span className="text-11 quiet row terminal-leave terminal-head-more">
            {words.leaveHint}
            <CommandKeys command="look.terminalWall" />
          </span>
          <span className="chip" title={words.yoursText}>
            {words.yours}
          </span>
        </>
      )}
      <IconButton icon="search" small label={words.find} onClick={onFind} />
      {shown.kind === 'own' && (
        <IconButton icon="close" small label={words.close} onClick={() => closeOwnTerminal(shown.terminal)} />
      )}
    </header>
  );
}
