import type { RuleChange, RulePreview, RuleProgress } from '@shared/contract/rules/rule-views';
import { useEffect, useState } from 'react';
import { call } from '../../api';
import { ColumnHeads } from '../../components/ColumnHeads';
import { CheckLine } from '../../components/Field';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { StepLinks } from './DetectorLines';
import type { RuleDraft } from './rules';

/** Most runs in one preview. */
const MOST = 200;
/** How often progress is asked for while verdicts are derived, ms. */
const ASK_MS = 700;

interface RulePreviewProps {
  run: string;
  task: string;
  /** What would hold; null: nothing is changed. */
  draft: RuleDraft | null;
  goTo: (step: number) => void;
}

/** What the draft would change before anybody applies it; without one, how far the verdicts are derived. */
export function RulePreviewTable({ run, task, draft, goTo }: RulePreviewProps) {
  const words = useText().rules;
  const [all, setAll] = useState(false);
  const others = useRuns((state) => state.list.filter((each) => each.task.id === task).length);
  const list = useRuns((state) => state.list);
  const runs = all
    ? list
        .filter((each) => each.task.id === task)
        .map(({ id }) => id)
        .slice(0, MOST)
    : [run];
  const preview = useAsked('rules.preview', draft === null ? null : { runs, settings: draft });
  return (
    <section className="rules-preview" aria-label={words.preview}>
      <h3 className="rules-group">{words.preview}</h3>
      {others > 1 && (
        <CheckLine checked={all} onChange={setAll} label={words.allRuns(Math.min(others, MOST))} />
      )}
      <div role="status" className="text-12">
        {draft === null ? (
          <Progress task={task} />
        ) : preview.failure !== null ? (
          <span className="tone-danger">{preview.failure.message}</span>
        ) : preview.value === null || preview.value.superseded ? (
          <span className="quiet">{words.working}</span>
        ) : (
          <Sum preview={preview.value} />
        )}
      </div>
      {preview.value !== null && draft !== null && !preview.value.superseded && (
        <Changes changes={preview.value.rules} run={run} goTo={goTo} />
      )}
    </section>
  );
}

function Sum({ preview }: { preview: RulePreview }) {
  const words = useText().rules;
  const { labels } = preview;
  return labels.total === 0 ? (
    <span>{words.noLabels}</span>
  ) : (
    <span>{words.labelsChange(labels.toMask, labels.toTrain, labels.toUndecided)}</span>
  );
}

function Changes({
  changes,
  run,
  goTo,
}: {
  changes: readonly RuleChange[];
  run: string;
  goTo: (step: number) => void;
}) {
  const text = useText();
  const words = text.rules;
  const moved = changes.filter(({ newly, noLonger }) => newly + noLonger > 0);
  if (moved.length === 0) return null;
  return (
    <table className="rules-table text-12">
      <ColumnHeads heads={words.columns} />
      <tbody>
        {moved.map(({ rule, newly, noLonger, now, conflicts, examples, gone }) => (
          <tr key={rule}>
            <th scope="row">{text.labels.reasonName(rule)}</th>
            <td className="tabular">{newly}</td>
            <td className="tabular">{noLonger}</td>
            <td className="tabular">{words.byNow(now.train, now.mask, now.undecided)}</td>
            <td className={`tabular ${conflicts > 0 ? 'tone-attention' : ''}`}>{conflicts}</td>
            <td>
              <StepLinks
                steps={[...examples, ...gone].filter((each) => each.run === run).map(({ step }) => step)}
                goTo={goTo}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Verdicts of long runs are derived in the background: says how far, until they are there. */
function Progress({ task }: { task: string }) {
  const words = useText().rules;
  const [progress, setProgress] = useState<RuleProgress | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const ask = async () => {
      const found = await call('rules.progress', { task });
      if (gone) return;
      setProgress(found);
      if (found.behind > 0) timer = setTimeout(() => void ask(), ASK_MS);
    };
    // What cannot be asked is not shown; the labels themselves say what holds.
    ask().catch(() => setProgress(null));
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [task]);
  if (progress === null) return <span className="quiet">{words.nothing}</span>;
  if (progress.behind === 0) return <span className="quiet">{words.nothing}</span>;
  return <span>{words.deriving(progress.behind, progress.events.done, progress.events.total)}</span>;
}
