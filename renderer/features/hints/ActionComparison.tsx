import type { Rehearsal, RehearsedAction } from '@shared/contract/views';
import { useText } from '../../text/language';
import { actsDifferently, type DifferenceRow, differenceRows } from './action-difference';

/** Two answers side by side, what differs marked by colour and by a line under or through it. */
export function ActionComparison({ result }: { result: Rehearsal }) {
  const words = useText().rehearsal;
  const rows = differenceRows(result.without, result.with);
  const differs = actsDifferently(result.without, result.with);
  return (
    <>
      <p className="text-12" data-testid="trial-verdict">
        {differs ? words.otherAction : words.sameAction}
      </p>
      <table className="trial-table">
        <thead>
          <tr>
            <th scope="col">
              {words.without} <small className="quiet">{words.withoutNote(result.step)}</small>
            </th>
            <th scope="col">
              {words.with} <small className="quiet">{words.withNote}</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className={row.call === null ? 'trial-thought' : ''}>
              <Side row={row} side="without" mark="gone" />
              <Side row={row} side="with" mark="new" />
            </tr>
          ))}
          {[result.without, result.with].some((action) => action.calls.length === 0) && (
            <tr>
              <NoCall action={result.without} />
              <NoCall action={result.with} />
            </tr>
          )}
        </tbody>
      </table>
      {result.with.reasoning !== '' && (
        <details className="trial-reasoning">
          <summary className="text-12">{`${words.reasoning}: ${words.with}`}</summary>
          <p className="soft text-12">{result.with.reasoning}</p>
        </details>
      )}
    </>
  );
}

interface SideProps {
  row: DifferenceRow;
  side: 'without' | 'with';
  mark: 'gone' | 'new';
}

function Side({ row, side, mark }: SideProps) {
  const pieces = row[side] ?? [];
  const key = row.keys[side];
  const code = row.call !== null;
  const argument = row.keys.without !== null || row.keys.with !== null;
  return (
    <td className={code ? (argument ? 'trial-argument' : 'trial-name') : ''}>
      {key !== null && key !== '' && <span className="trial-key">{key}</span>}
      {pieces.map((piece, at) =>
        piece.differs ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
          <mark key={at} className={`trial-${mark}`}>
            {piece.text}
          </mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
          <span key={at}>{piece.text}</span>
        ),
      )}
    </td>
  );
}

function NoCall({ action }: { action: RehearsedAction }) {
  const words = useText().rehearsal;
  return <td className="quiet">{action.calls.length === 0 ? words.noCall : ''}</td>;
}
