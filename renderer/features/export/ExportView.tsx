import { Empty } from '../../components/Empty';
import { useText } from '../../text/language';

export interface ExportViewProps {
  run: string | null;
}

export function ExportView(_props: ExportViewProps) {
  const text = useText();
  return <Empty title={text.exporting.title} />;
}
