import { Empty } from '../../components/Empty';
import { useText } from '../../text/language';

export interface PromptViewProps {
  run: string;
  step: number;
  /** Opened as the changes since the step before (Shift+E). */
  changes: boolean;
}

export function PromptView(_props: PromptViewProps) {
  const text = useText();
  return <Empty title={text.prompt.title} />;
}
