import type { RubricTrial, TrialChange } from '@shared/judging/rubric-trial';
import type { Estimate } from '@shared/labels/agreement';
import { ColumnHeads } from '../../components/ColumnHeads';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { openRun, useRuns } from '../../state/run/runs';
import { moveCursor } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { setMode } from '../../state/view';
import { useText } from '../../text/language';

/** What a tried rubric changes: precision and recall before and after, and the steps with another verdict. */
export function TrialResult({ trial, onGo }: { trial: RubricTrial; onGo: () => void }) {
  const text = useText();
  const words = text.rubric;
  const { judge, run, before, after, tried, compared, toMask, toKeep, labelled, changes } = trial;
  return (
    <section className="trial" aria-label={words.result} data-testid="trial">
      <h3>{words.result}</h3>
      <p className="text-12">
        {compared === 0 ? words.notBefore(judge) : words.moved(toMask, toKeep, compared)}
      </p>
      {before.length > 0 && (
        <p className="mono-11 quiet">{words.versions(text.common.list(before), after)}</p>
      )}
      {labelled === 0 ? <p className="text-12 quiet">{words.noLabels}</p> : <Figures trial={trial} />}
      {changes.length > 0 && (
        <ul className="trial-changes" aria-label={words.changes}>
          {changes.map((change) => (
            <Change key={change.step} change={change} onGo={(step) => attempt(() => goTo(run, step, onGo))} />
          ))}
          {toMask + toKeep > changes.length && (
            <li className="quiet text-12">{words.more(toMask + toKeep - changes.length)}</li>
          )}
        </ul>
      )}
      <p className="text-12 quiet">{words.adopts(tried, judge)}</p>
    </section>
  );
}

async function goTo(run: string, step: number, then: () => void): Promise<void> {
  then();
  if (useRuns.getState().current !== run) await openRun(run);
  if (useRuns.getState().current !== run) return;
  setMode('review');
  moveCursor(step);
}

function Figures({ trial: { precision, recall } }: { trial: RubricTrial }) {
  const words = useText().rubric;
  const rows = [[words.precision, precision] as const, [words.recall, recall] as const];
  return (
    <table className="judge-table text-12">
      <ColumnHeads heads={words.columns} />
      <tbody>
        {rows.map(([name, { before, after }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <Figure estimate={before} />
            <Figure estimate={after} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Figure({ estimate }: { estimate: Estimate | null }) {
  const words = useText().rubric;
  if (estimate === null) return <td className="quiet">{words.unknown}</td>;
  const { value, n, low, high } = estimate;
  return <td title={words.interval(low, high)}>{words.figure(value, n)}</td>;
}

function Change({ change, onGo }: { change: TrialChange; onGo: (step: number) => void }) {
  const text = useText();
  const words = text.rubric;
  const { step, before, after, people, reason, why } = change;
  const agrees = people === (after === 'mask' ? 'mask' : 'train');
  return (
    <li className="trial-change">
      <button type="button" className="link tabular" aria-label={words.goTo(step)} onClick={() => onGo(step)}>
        {step}
      </button>
      <span className="trial-verdicts text-12">
        <Verdict value={before} />
        <Icon name="right" small />
        <Verdict value={after} />
      </span>
      <span className={`text-12 ${people === null ? 'quiet' : agrees ? 'tone-train' : 'tone-attention'}`}>
        {people === null ? words.nobody : agrees ? words.asPeople : words.againstPeople}
      </span>
      <span className="trial-why text-12 soft">
        {text.labels.reasonName(reason)}
        {why === '' ? '' : `: ${why}`}
      </span>
    </li>
  );
}

function Verdict({ value }: { value: 'keep' | 'mask' }) {
  const words = useText().rubric;
  const state = value === 'mask' ? 'mask' : 'train';
  return (
    <span className={`trial-verdict tone-${state}`}>
      <LabelGlyph state={state} />
      {words.verdict[value]}
    </span>
  );
}
