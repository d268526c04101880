import { attempt } from '../../state/toasts';
import { setMode } from '../../state/view';
import { openRunAt } from '../branches/branches';
import { useTokens } from './token-state';

/** Goes to a step in Review; the token view keeps its place for the way back. */
export function openStep(run: string, step: number): void {
  attempt(async () => {
    await openRunAt(run, step);
    useTokens.setState({ large: false });
    setMode('review');
  });
}
