import { Splitter } from '../../components/Splitter';
import { useText } from '../../text/language';
import { Timeline } from '../timeline/Timeline';

export interface TimelineColumnProps {
  /** CSS px, as the person left it. */
  width: number;
  /** Null: as wide as at first. */
  onResize: (width: number | null) => void;
  /** Whether rows say when their step was. */
  showTime: boolean;
}

/** The timeline at the left of a layout, and the edge that makes it wider. */
export function TimelineColumn({ width, onResize, showTime }: TimelineColumnProps) {
  const text = useText();
  return (
    <>
      <div className="sized-pane" style={{ width }}>
        <Timeline showTime={showTime} />
      </div>
      <Splitter
        direction="vertical"
        label={text.frame.resizeTimeline}
        size={width}
        min={360}
        max={900}
        onResize={onResize}
      />
    </>
  );
}
