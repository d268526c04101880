import { useDeferredValue, useState } from 'react';
import { Button } from '../../components/Button';
import { TextField } from '../../components/Field';
import { useText } from '../../text/language';
import { FILES_PAGE, type FileKey, shortPath, useFiles } from './file-history';

export interface FileListProps {
  run: string;
  chosen: FileKey | null;
  /** Files the step itself changed. */
  changed: readonly FileKey[];
  onChoose: (file: FileKey) => void;
}

const keyOf = ({ computer, path }: FileKey) => `${computer} ${path}`;

/** Every file that changed in the run, the newest change first: by name, a page at a time. */
export function FileList({ run, chosen, changed, onChoose }: FileListProps) {
  const words = useText();
  const text = words.files;
  const [filter, setFilter] = useState('');
  const [offset, setOffset] = useState(0);
  const wanted = useDeferredValue(filter);
  const page = useFiles(run, wanted, offset);
  const own = new Set(changed.map(keyOf));
  const count = words.common.format.count;
  return (
    <nav className="file-list" aria-label={text.allFiles}>
      <TextField
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onChange={(event) => {
          setFilter(event.target.value);
          setOffset(0);
        }}
      />
      <p className="text-11 quiet" role="status">
        {page === null
          ? ''
          : text.shown(
              count(page.files.length === 0 ? 0 : offset + 1),
              count(offset + page.files.length),
              count(page.total),
            )}
      </p>
      <ul>
        {page?.files.map((file) => (
          <li key={keyOf(file)}>
            <button
              type="button"
              aria-current={chosen !== null && keyOf(chosen) === keyOf(file)}
              title={`${file.computer}: ${file.path}`}
              onClick={() => onChoose({ computer: file.computer, path: file.path })}
            >
              <span className="cut mono-12">{shortPath(file.path, run)}</span>
              <span className="text-11 quiet tabular">
                {[
                  own.has(keyOf(file)) ? text.thisStep : text.step(file.lastStep),
                  text.times(file.revisions),
                  file.removed ? text.deleted : '',
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {page !== null && page.total > FILES_PAGE && (
        <div className="row">
          <Button small look="ghost" disabled={offset === 0} onClick={() => setOffset(offset - FILES_PAGE)}>
            {text.newer}
          </Button>
          <Button
            small
            look="ghost"
            disabled={offset + FILES_PAGE >= page.total}
            onClick={() => setOffset(offset + FILES_PAGE)}
          >
            {text.older}
          </Button>
        </div>
      )}
    </nav>
  );
}
