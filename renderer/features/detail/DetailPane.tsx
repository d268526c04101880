import { useEffect } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { lazily } from '../../components/lazily';
import type { TabItem } from '../../components/Tabs';
import { Tabs } from '../../components/Tabs';
import { useMedia } from '../../components/useMedia';
import { useDetail } from '../../state/run/detail';
import { useTimeline } from '../../state/run/timeline';
import type { DetailTab } from '../../state/view';
import { setMode, setTab, useView } from '../../state/view';
import { useText } from '../../text/language';
import { openBranchDialog } from '../branches/branches';
import { LabelInspector } from '../labels/LabelInspector';
import { QuickLabels } from '../labels/QuickLabels';
import { PaneBoundary } from '../panes/PaneBoundary';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { TerminalWall } from '../terminals/lazy-wall';
import { StepView } from './StepView';

const PromptView = lazily(() => import('../prompt/PromptView').then((m) => m.PromptView));
const FilesView = lazily(() => import('../files/FilesView').then((m) => m.FilesView));
const QueriesView = lazily(() => import('../queries/QueriesView').then((m) => m.QueriesView));

/** The step under the cursor: what was thought, done and seen; its exact prompt, its files, its queries. */
export function DetailPane({ review }: { review: boolean }) {
  const text = useText();
  const run = useTimeline((state) => state.run);
  const step = useTimeline((state) => state.cursor);
  const chosen = useView((state) => state.tab);
  const promptChanges = useView((state) => state.promptChanges);
  const fileHistory = useView((state) => state.fileHistory);
  const narrow = useMedia('(max-width: 1199px)');
  const detail = useDetail(run, step);
  const words = text.detail;
  // The prompt opens within 300 ms also the first time: its code is there before it is asked for.
  useEffect(() => {
    // What fails now is said when it is asked for.
    const idle = requestIdleCallback(() => PromptView.preload().catch(() => undefined));
    return () => cancelIdleCallback(idle);
  }, []);
  const withLabels = review && narrow;
  const tab: DetailTab =
    (chosen === 'labels' && !withLabels) || (chosen === 'terminals' && !review) ? 'step' : chosen;
  const items: TabItem<DetailTab>[] = [
    { id: 'step', label: step === 0 ? words.region : words.step(step) },
    { id: 'prompt', label: words.prompt, keys: <CommandKeys command="look.prompt" /> },
    { id: 'files', label: words.files, keys: <CommandKeys command="look.diff" /> },
    { id: 'queries', label: words.queries, keys: <CommandKeys command="look.queries" /> },
  ];
  if (review) {
    const at =
      detail === undefined
        ? text.terminals.title
        : words.terminalsAt(text.common.format.clock(detail.head.at));
    items.push({ id: 'terminals', label: at });
  }
  if (withLabels) items.push({ id: 'labels', label: words.labels });
  return (
    <section className="column pane-rest" aria-label={words.region} data-pane="detail">
      <div className="pane-head detail-head">
        <Tabs<DetailTab> label={words.tabs} items={items} chosen={tab} onChoose={setTab} idBase="detail" />
        <span className="space" />
        {run !== null && step > 0 && (
          <IconButton
            small
            icon="branch"
            label={text.branches.branch}
            onClick={() => openBranchDialog({ name: 'branch', run, step })}
          />
        )}
        {!review && run !== null && step > 0 && (
          <>
            <QuickLabels />
            <Button
              look="ghost"
              small
              className="review-from-here"
              keys={<CommandKeys command="mode.review" />}
              onClick={() => setMode('review')}
            >
              {words.reviewFromHere}
            </Button>
          </>
        )}
      </div>
      <div id="detail-panel" role="tabpanel" aria-labelledby={`detail-${tab}`} className="column pane-rest">
        <PaneBoundary resetKey={`${run}/${step}/${tab}`}>
          {run === null || step === 0 ? (
            <Empty title={words.noStepTitle} text={words.noStepText} />
          ) : (
            <>
              {tab === 'step' && <StepView key={`${run}/${step}`} run={run} step={step} />}
              {tab === 'prompt' && <PromptView run={run} step={step} changes={promptChanges} />}
              {tab === 'files' && <FilesView run={run} step={step} history={fileHistory} />}
              {tab === 'queries' && <QueriesView run={run} step={step} />}
              {tab === 'terminals' && <TerminalWall key={run} initial="step" />}
              {tab === 'labels' && <LabelInspector />}
            </>
          )}
        </PaneBoundary>
      </div>
    </section>
  );
}
