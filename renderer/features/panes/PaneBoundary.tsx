import type { ReactNode } from 'react';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { ErrorBoundary } from '../../components/ErrorBoundary';
import { useText } from '../../text/language';
import { CopyDetails } from './CopyDetails';

/** A pane whose failure stays its own: says so, offers to open it again and the details for a report. */
export function PaneBoundary({ resetKey, children }: { resetKey: string; children: ReactNode }) {
  const text = useText();
  return (
    <ErrorBoundary
      resetKey={resetKey}
      fallback={(error, retry) => (
        <div className="pane pane-rest" role="alert">
          <Empty icon="warning" title={text.frame.crashed} text={text.frame.crashedText}>
            <Button onClick={retry}>{text.frame.openAgain}</Button>
            <CopyDetails small={false} details={`${error.message}\n${error.stack ?? ''}`} />
          </Empty>
        </div>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
