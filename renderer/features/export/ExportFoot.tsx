import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { useKept } from '../../state/answers';
import { openRun } from '../../state/run/runs';
import { moveCursor } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { setMode } from '../../state/view';
import { useText } from '../../text/language';
import { startExport } from '../jobs/jobs';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { findingsInput, useExport } from './export-state';
import { type Preview, useSettled } from './use-preview';

/** What the export rests on, what keeps it from being written, and the button that writes it. */
export function ExportFoot({ preview }: { preview: Preview }) {
  const words = useText();
  const text = words.exporting;
  const { count } = words.common.format;
  const draft = useExport((state) => state.draft);
  const [starting, setStarting] = useState(false);
  const { value, undecidedSteps, toolless } = preview;
  const stopped = draft.undecided === 'refuse' && draft.variants.includes('all') && undecidedSteps > 0;
  const bare = draft.noTools === 'refuse' && toolless > 0;
  const chosen = (value?.variants ?? []).filter(({ variant }) => draft.variants.includes(variant));
  const rows = Math.max(0, ...chosen.map((each) => each.rows));
  const empty = value !== null && rows === 0;
  const longest = value?.longest[0]?.tokens ?? 0;
  const write = () =>
    attempt(async () => {
      setStarting(true);
      try {
        await startExport(() => call('export.start', preview.options));
      } finally {
        setStarting(false);
      }
    });
  const decide = () =>
    attempt(async () => {
      const first = value?.undecided[0];
      if (first === undefined) return;
      await openRun(first.run);
      setMode('review');
      moveCursor(first.steps[0] ?? 1);
    });
  const why = !preview.whole
    ? text.notWhole
    : stopped
      ? text.stopped(undecidedSteps)
      : bare
        ? text.toolless(toolless)
        : empty
          ? text.empty
          : '';
  return (
    <footer className="export-foot">
      <dl className="export-facts text-12">
        <dt>{text.snapshotName}</dt>
        <dd className="mono-12 cut" title={value?.snapshot ?? ''}>
          {value === null ? words.common.unknown : `${value.snapshot.slice(0, 12)}…`}
        </dd>
        <dt>{text.secrets}</dt>
        <dd>
          <Secrets preview={preview} />
        </dd>
        <dt>{text.rowsName}</dt>
        <dd className="tabular">
          {value === null ? words.common.unknown : text.rowsFacts(count(rows), count(longest), rows)}
        </dd>
      </dl>
      <div className="row">
        {stopped && (
          <Button onClick={decide} keys={<CommandKeys command="step.nextOpen" />}>
            {text.decide(undecidedSteps)}
          </Button>
        )}
        <span className="space" />
        <Button
          look="primary"
          disabled={stopped || bare || empty || starting || value === null || !preview.whole}
          aria-describedby="export-why"
          onClick={write}
        >
          {text.write}
        </Button>
      </div>
      <p id="export-why" className="export-why text-12 quiet" role="status">
        {why}
      </p>
    </footer>
  );
}

function Secrets({ preview }: { preview: Preview }) {
  const text = useText().exporting;
  const { redact, allowed: names } = useExport((state) => state.draft);
  const input = useSettled(findingsInput(preview.options));
  const ready = redact !== 'off' && preview.value !== null;
  const { answer, failure } = useKept('export.findings', ready ? input : null, preview.version);
  const value = answer?.value ?? null;
  if (redact === 'off') return <span className="tone-attention">{text.secretsOff}</span>;
  if (failure !== null) return <span title={failure.message}>{text.secretsUnknown}</span>;
  if (value === null) return <span className="quiet">{ready ? text.scanning : ''}</span>;
  const allowed = value.findings.filter(({ name }) => names.includes(name)).length;
  return (
    <>
      {text.secretsFound(value.findings.length - allowed, allowed)}{' '}
      <button
        type="button"
        className="link"
        data-testid="show-findings"
        onClick={() => useExport.setState({ findings: true })}
      >
        {text.show}
      </button>
    </>
  );
}
