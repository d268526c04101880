import type { Failure } from '@shared/contract/errors';
import { useText } from '../text/language';
import { Icon } from './Icon';
import './failure-line.css';

/** Why something cannot be shown or done here, in the failure's own words. */
export function FailureLine({ failure }: { failure: Failure }) {
  const text = useText();
  return (
    <p className="failure-line text-12" role="alert">
      <Icon name="warning" small />
      <span>{text.frame.failure(failure)}</span>
      <span className="mono-11 quiet">{failure.code}</span>
    </p>
  );
}
