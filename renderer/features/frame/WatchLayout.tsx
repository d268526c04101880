import { Splitter } from '../../components/Splitter';
import { useMedia } from '../../components/useMedia';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { DetailPane } from '../detail/DetailPane';
import { PaneBoundary } from '../panes/PaneBoundary';
import { useSplit } from '../panes/splits';
import { TerminalWall } from '../terminals/lazy-wall';
import { TimelineColumn } from './TimelineColumn';

/** Watch: timeline left, the step over the terminals right. `scope` names the task whose splits these are. */
export function WatchLayout({ scope }: { scope: string }) {
  const text = useText();
  const run = useRuns((state) => state.current);
  const roomy = useMedia('(min-width: 1360px)');
  const [width, setWidth] = useSplit(scope, 'watch.timeline', roomy ? 496 : 456);
  const [height, setHeight] = useSplit(scope, 'watch.detail', 264);
  return (
    <>
      <TimelineColumn width={width} onResize={setWidth} showTime />
      <div className="pane pane-rest stacked">
        <div className="column stacked-top" style={{ height }}>
          <DetailPane review={false} />
        </div>
        <Splitter
          direction="horizontal"
          label={text.frame.resizeDetail}
          size={height}
          min={160}
          max={640}
          onResize={setHeight}
        />
        <div className="column stacked-rest" data-pane="terminals">
          <PaneBoundary resetKey={run ?? ''}>{run !== null && <TerminalWall key={run} />}</PaneBoundary>
        </div>
      </div>
    </>
  );
}
