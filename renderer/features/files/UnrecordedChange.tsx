import { useText } from '../../text/language';
import type { DiffLayout } from './Comparison';
import { nameOf, type UnrecordedEdit } from './file-history';
import { DiffPane } from './lazy-diff';

/** A change whose text the log does not hold: said so, with the lines that the action itself reported. */
export function UnrecordedChange({ edit, layout }: { edit: UnrecordedEdit; layout: DiffLayout }) {
  const words = useText();
  const text = words.files;
  return (
    <>
      <p className="files-untold text-12" role="note">
        <b className="strong">{text.noTextAtStep(nameOf(edit.path))}</b>
        <span className="quiet">{edit.told.length === 0 ? text.nothingTold : text.linesTold}</span>
      </p>
      {edit.told.map((told) => (
        <DiffPane
          key={`${told.first} ${told.removed}`}
          waiting={<p className="files-note quiet">{words.common.loading}</p>}
          path={edit.path}
          before={told.removed}
          after={told.added}
          firstLine={told.first}
          sideBySide={layout === 'sides'}
          label={text.diffTold(edit.path)}
        />
      ))}
    </>
  );
}
