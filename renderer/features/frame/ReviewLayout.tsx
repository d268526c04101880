import { Splitter } from '../../components/Splitter';
import { useMedia } from '../../components/useMedia';
import { useText } from '../../text/language';
import { DetailPane } from '../detail/DetailPane';
import { LabelBar } from '../labels/LabelBar';
import { LabelInspector } from '../labels/LabelInspector';
import { RetroMaskBanner } from '../labels/RetroMaskBanner';
import { useSplit } from '../panes/splits';
import { QueuePlace } from '../queue/QueuePlace';
import { TimelineColumn } from './TimelineColumn';

/** Review: timeline left, the label bar over the step, labels and guideline right. */
export function ReviewLayout({ scope }: { scope: string }) {
  const text = useText();
  const roomy = useMedia('(min-width: 1200px)');
  const [width, setWidth] = useSplit(scope, 'review.timeline', 440);
  const [inspector, setInspector] = useSplit(scope, 'review.inspector', 280);
  return (
    <>
      <TimelineColumn width={width} onResize={setWidth} showTime={false} />
      <div className="pane pane-rest">
        <QueuePlace />
        <LabelBar />
        <RetroMaskBanner />
        <div className="review-body">
          <div className="column pane-rest">
            <DetailPane review />
          </div>
          {roomy && (
            <>
              <Splitter
                direction="vertical"
                label={text.frame.resizeInspector}
                size={inspector}
                min={256}
                max={560}
                after
                onResize={setInspector}
              />
              <div className="column inspector" style={{ width: inspector }} data-pane="labels">
                <LabelInspector />
              </div>
            </>
          )}
        </div>
      </div>
    </>
  );
}
