import { Empty } from '../../components/Empty';
import { useText } from '../../text/language';

export interface TerminalWallProps {
  run: string;
  /** Byte offset per `computer:session` to show the sessions at; null = live. */
  offsets: Readonly<Record<string, number>> | null;
}

export function TerminalWall(_props: TerminalWallProps) {
  const text = useText();
  return <Empty title={text.terminals.title} />;
}
