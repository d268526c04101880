import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { offerRestore } from '../../state/restore';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { loadWorkspace, useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';

/** Says that this is not the released runtime; stands above everything. */
export function RuntimeBanner() {
  const text = useText();
  const app = useSettings((state) => state.app);
  if (app === null || !app.testRuntime) return null;
  return (
    <Banner tone="attention" icon="warning" title={text.frame.testRuntime}>
      {text.frame.testRuntimeText(app.runtime.electron)}
    </Banner>
  );
}

/** Says why nothing can be kept now, and what to do about it. */
export function WorkspaceBanner() {
  const text = useText();
  const problem = useWorkspace((state) => state.problem);
  if (problem === null) return null;
  const detail = `${problem.code}: ${problem.message}\n${problem.detail ?? ''}`;
  return (
    <Banner
      tone="danger"
      icon="disk"
      title={text.frame.problemTitle(problem.code)}
      actions={
        <>
          {problem.code === 'workspace_corrupt' && (
            <Button small onClick={() => attempt(offerRestore)}>
              {text.restore.offer}
            </Button>
          )}
          <Button small onClick={() => attempt(loadWorkspace)}>
            {text.frame.checkAgain}
          </Button>
          <Button
            look="ghost"
            small
            icon="copy"
            onClick={() => attempt(() => navigator.clipboard.writeText(detail))}
          >
            {text.frame.copyDetails}
          </Button>
        </>
      }
    >
      {`${text.frame.problemEffect(problem.code)} ${problem.message}`}
    </Banner>
  );
}
