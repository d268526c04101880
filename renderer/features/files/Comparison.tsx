import type { FileContent } from '@shared/contract/file-views';
import { Empty } from '../../components/Empty';
import { useText } from '../../text/language';
import { DiffPane } from './lazy-diff';

/** Beside each other or below. */
export type DiffLayout = 'sides' | 'inline';

interface ComparisonProps {
  path: string;
  before: FileContent;
  after: FileContent;
  layout: DiffLayout;
  label: string;
}

/** The diff where both sides are text (a file that is not there is an empty one); else what is known of them. */
export function Comparison({ path, before, after, layout, label }: ComparisonProps) {
  const words = useText();
  const text = words.files;
  const { format } = words.common;
  const left = textOf(before);
  const right = textOf(after);
  if (left !== null && right !== null) {
    return (
      <DiffPane
        waiting={<p className="files-note quiet">{words.common.loading}</p>}
        path={path}
        before={left}
        after={right}
        sideBySide={layout === 'sides'}
        label={label}
      />
    );
  }
  const side = (content: FileContent): string => {
    if (content.kind === 'absent') return text.absent;
    const size = content.size === null ? words.detail.unknown : format.bytes(content.size);
    return text.side(content.kind, size, content.sha256?.slice(0, 12) ?? words.detail.unknown);
  };
  return (
    <Empty icon="file" title={text.noTextTitle} text={text.noText}>
      <dl className="files-sides text-12">
        <dt className="quiet">{text.before}</dt>
        <dd className="mono-12">{side(before)}</dd>
        <dt className="quiet">{text.after}</dt>
        <dd className="mono-12">{side(after)}</dd>
      </dl>
    </Empty>
  );
}

function textOf(content: FileContent): string | null {
  if (content.kind === 'text') return content.text;
  return content.kind === 'absent' ? '' : null;
}
