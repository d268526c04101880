import type { OwnTerminal } from '@shared/contract/computers';
import { IconButton } from '../components/Button';
import { CommandKeys } from '../features/shortcuts/CommandKeys';
import { useText } from '../text/language';
import { closeOwnTerminal } from './view-state';

export interface OwnHeadProps {
  terminal: OwnTerminal;
  name: string;
  onFind: () => void;
}

/** Over the terminal: which one it is, in words of the view's own, that it is the person's, and how to leave it. */
export function OwnHead({ terminal, name, onFind }: OwnHeadProps) {
  const words = useText().terminals;
  return (
    <header className="terminal-head">
      <b className="mono-12 cut">{name}</b>
      <span className="space" />
      <span className="text-12 quiet tabular terminal-head-more">{`${terminal.cols}×${terminal.rows}`}</span>
      <span className="text-12 quiet tabular">{words.ownStates[terminal.state]}</span>
      <span className="text-11 quiet row terminal-leave terminal-head-more">
        {words.leaveHint}
        <CommandKeys command="look.terminalWall" />
      </span>
      <span className="chip" title={words.yoursText}>
        {words.yours}
      </span>
      <IconButton icon="search" small label={words.find} onClick={onFind} />
      <IconButton icon="close" small label={words.close} onClick={() => closeOwnTerminal(terminal)} />
    </header>
  );
}
