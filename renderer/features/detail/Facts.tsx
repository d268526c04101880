import type { StepDetail, StepHead } from '@shared/contract/views';
import type { ReactNode } from 'react';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useText } from '../../text/language';
import { pendingFor, useLabels } from '../labels/labels';
import { initialsOf, ruleCodes, shownState } from '../timeline/row-words';

/** The step in one line of facts; the last ones leave when there is no room. */
export function Facts({ head, detail }: { head: StepHead; detail: StepDetail | undefined }) {
  const text = useText();
  const { format } = text.common;
  const words = text.detail;
  const pending = useLabels((state) => pendingFor(state.pending, head.step));
  const state = shownState(head, pending?.value ?? null);
  const saving = pending !== undefined && pending.phase === 'pending';
  const person = head.label.source === 'human' || head.label.source === 'adjudication';
  const observed = detail?.observations.reduce((sum, one) => sum + (one.durationMs ?? 0), 0);
  return (
    <div className="facts">
      <span data-testid="step-label" data-label={state} data-saving={saving}>
        <LabelGlyph state={state} ring={!saving && (person || pending !== undefined)} pending={saving} />
        <b className={`strong tone-${state}`}>
          {head.withheld && state === 'none' ? text.timeline.hidden : text.labels[state]}
        </b>
        {saving && <span className="quiet">{text.labels.saving}</span>}
      </span>
      {head.rules.length > 0 && (
        <span className="mono-12" title={head.rules.map(text.labels.ruleName).join(', ')}>
          {ruleCodes(head.rules)}
        </span>
      )}
      {head.by.length > 0 && (
        <span className="mono-12" title={head.by.join(', ')}>
          {head.by.map(initialsOf).join(' ')}
        </span>
      )}
      <Fact name={words.started}>{format.clockSeconds(head.at)}</Fact>
      {head.exitCode !== null && (
        <Fact name={words.exit}>
          <span className={head.exitCode === 0 ? '' : 'tone-danger'}>{head.exitCode}</span>
        </Fact>
      )}
      {detail !== undefined && !(detail.imported !== null && detail.durationMs === 0) && (
        <Fact name={words.took}>{format.duration(detail.durationMs)}</Fact>
      )}
      {observed !== undefined && observed > 0 && (
        <Fact name={words.returned}>{format.duration(observed)}</Fact>
      )}
      {detail !== undefined && detail.usage !== null && (
        <Fact name={words.tokens}>{format.count(detail.usage.outputTokens)}</Fact>
      )}
      {detail !== undefined && detail.cost !== null && (
        <Fact name={words.cost}>{format.money(detail.cost)}</Fact>
      )}
      {head.imitatesHuman && (
        <span className="tone-attention" title={words.imitatesHumanText}>
          {words.imitatesHuman}
        </span>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="tabular">
      <span className="quiet">{name}</span>
      <span>{children}</span>
    </span>
  );
}
