import { Dialog } from '../../components/Dialog';
import { Empty } from '../../components/Empty';
import { Tabs } from '../../components/Tabs';
import { useNewest } from '../../state/answers';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { JudgesPanel } from './judges/JudgesPanel';
import { KindsPlot } from './KindsPlot';
import { MaskPlot } from './MaskPlot';
import { PeoplePlot } from './PeoplePlot';
import './plots.css';
import { choosePlot, type Plot, usePlots } from './plots-state';
import { ScorePlot } from './ScorePlot';
import { TokensPlot } from './TokensPlot';

/** Where people would rather look than read: a run's scores, labels, doings, tokens and annotators over time, and its judges. */
export function PlotsDialog({ onClose }: { onClose(): void }) {
  const text = useText();
  const words = text.plots;
  const run = useTimeline((state) => state.run);
  const version = useTimeline((state) => state.steps);
  const chosen = usePlots((state) => state.chosen);
  const stats = useNewest('stats.run', run === null ? null : { run }, version)?.value;
  return (
    <Dialog title={words.title} closeLabel={text.common.close} width="wide" onClose={onClose}>
      <Tabs<Plot>
        label={words.title}
        items={(['score', 'masks', 'kinds', 'tokens', 'people', 'judges'] as const).map((id) => ({
          id,
          label: words.tabs[id],
        }))}
        chosen={chosen}
        onChoose={choosePlot}
        idBase="plots"
      />
      <div id="plots-panel" role="tabpanel" aria-labelledby={`plots-${chosen}`} className="plots-panel">
        {chosen === 'judges' ? (
          <JudgesPanel />
        ) : run === null || stats?.steps === 0 ? (
          <Empty title={words.nothing} text={words.nothingText} />
        ) : (
          stats != null && (
            <>
              {chosen === 'score' && <ScorePlot stats={stats} />}
              {chosen === 'masks' && <MaskPlot stats={stats} />}
              {chosen === 'kinds' && <KindsPlot stats={stats} />}
              {chosen === 'tokens' && <TokensPlot stats={stats} />}
              {chosen === 'people' && <PeoplePlot stats={stats} />}
            </>
          )
        )}
      </div>
    </Dialog>
  );
}
