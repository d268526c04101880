import { Empty } from '../../components/Empty';
import { useText } from '../../text/language';

export interface FilesViewProps {
  run: string;
  step: number;
  /** Opened at one file's history (B) instead of the step's own diff. */
  history: boolean;
}

export function FilesView(_props: FilesViewProps) {
  const text = useText();
  return <Empty title={text.files.title} />;
}
