import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { openRunAt } from '../branches/branches';

/** A step of another run that this branch took over: where it was made, and the way there. */
export function InheritedNote({ run, step }: { run: string; step: number }) {
  const text = useText();
  const title = useRuns((state) => state.list.find((other) => other.id === run)?.title) ?? run.slice(-6);
  return (
    <p className="inherited text-12">
      <Icon name="branch" small />
      <span>{text.timeline.fromRun(title)}</span>
      <span className="space" />
      <Button look="ghost" small onClick={() => attempt(() => openRunAt(run, step))}>
        {text.branches.openThere}
      </Button>
      <span className="quiet inherited-text">{text.timeline.inheritedText}</span>
    </p>
  );
}
