import { Empty } from '../../components/Empty';
import { useText } from '../../text/language';

export interface QueriesViewProps {
  run: string;
  step: number;
}

export function QueriesView(_props: QueriesViewProps) {
  const text = useText();
  return <Empty title={text.queries.title} />;
}
