import type { SimilarSteps } from '@shared/contract/ipc/labels';
import { keepCodes, reasonCodes } from '@shared/labels/guideline';
import { ActionDialog } from '../../components/ActionDialog';
import { Select } from '../../components/Field';
import { LabelGlyph } from '../../components/LabelGlyph';
import { pressedChords } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { sayParts } from './label-words';
import { applySimilar, changesOf, closeSimilar, useSimilar } from './similar';
import './labels.css';

/** Pieces of the run that are named; the others are counted. */
const PIECES = 12;

/** Which steps are like this one, what holds for them, and what a label would change. */
export function SimilarDialog({ similar }: { similar: SimilarSteps }) {
  const text = useText();
  const words = text.similar;
  const { value, reason } = useSimilar();
  const { count } = text.common.format;
  const { changing, undecided, other } = changesOf(similar, value);
  const tool = similar.tool === '' ? words.noTool : similar.tool;
  const names = similar.rules.map((rule) => text.labels.ruleName(rule)).join(', ');

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const chords = pressedChords(event.nativeEvent);
    const digit = chords.find((chord) => /^[1-9]$/.test(chord));
    if (event.key === 'Enter') applySimilar();
    else if (chords.includes('t')) useSimilar.setState({ value: 'train' });
    else if (chords.includes('m')) useSimilar.setState({ value: 'mask' });
    else if (digit !== undefined) {
      const code = reasonCodes[Number(digit) - 1] ?? null;
      useSimilar.setState({ reason: reason === code ? null : code });
    } else return;
    event.preventDefault();
  }

  return (
    <ActionDialog
      title={words.title(similar.steps)}
      onClose={closeSimilar}
      label={words.apply(text.labels[value], similar.steps)}
      note={<span className="text-12 quiet">{words.keys}</span>}
      onDo={applySimilar}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the dialog's own choices, which are buttons too */}
      <div data-autofocus tabIndex={-1} className="similar" onKeyDown={onKeyDown}>
        <dl className="facts-list">
          <dt>{words.what}</dt>
          <dd>{names === '' ? words.noRules(tool) : words.sameRules(names, tool)}</dd>
          <dt>{words.where}</dt>
          <dd className="tabular">{sayParts(text, similar.parts, PIECES)}</dd>
          <dt>{words.now}</dt>
          <dd className="tabular">
            {words.counts(count(similar.now.train), count(similar.now.mask), count(similar.now.undecided))}
          </dd>
          <dt>{words.becomes}</dt>
          <dd className="row">
            {(['train', 'mask'] as const).map((choice) => (
              <button
                key={choice}
                type="button"
                className={`label-button label-${choice}`}
                aria-pressed={value === choice}
                onClick={() => useSimilar.setState({ value: choice })}
              >
                <LabelGlyph state={choice} />
                {text.labels[choice]}
              </button>
            ))}
          </dd>
          <dt>{words.reason}</dt>
          <dd>
            <Select
              small
              aria-label={words.reason}
              value={reason ?? ''}
              options={[
                { value: '', label: words.noReason },
                ...reasonCodes.map((code, index) => ({
                  value: code,
                  label: `${index + 1} ${text.labels.reasonName(code)}`,
                })),
                ...keepCodes.map((code) => ({
                  value: code,
                  label: `${text.labels.train}: ${text.labels.reasonName(code)}`,
                })),
              ]}
              onChoose={(code) => useSimilar.setState({ reason: code === '' ? null : code })}
            />
          </dd>
        </dl>
        <p className="dialog-lead" aria-live="polite">
          {changing === 0 ? words.noChange : words.changes(count(changing), count(undecided), count(other))}
        </p>
        {similar.left > 0 && <p className="quiet text-12">{words.left(count(similar.left))}</p>}
        {similar.decided > 0 && (
          <p className="quiet text-12">
            {words.decided(count(similar.decided))} {words.yoursStands}
          </p>
        )}
      </div>
    </ActionDialog>
  );
}
