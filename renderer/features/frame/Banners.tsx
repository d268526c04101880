import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { loadWorkspace, trustWorkspace, useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { CopyDetails } from '../panes/CopyDetails';
import { useRemote } from '../remote/remote';
import { offerRestore } from '../restore/restore';

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

/** A workspace from elsewhere is only read until the person trusts it. A server's is trusted there, not from here. */
export function ElsewhereBanner() {
  const text = useText();
  const status = useWorkspace((state) => state.status);
  const remote = useRemote((state) => state.status);
  const problem = useWorkspace((state) => state.problem);
  // One whose disk takes nothing is only read for that: `WorkspaceBanner` says so, and trusting it would not help.
  if (status === null || !status.isReadOnly || problem !== null) return null;
  return (
    <Banner
      tone="attention"
      icon="warning"
      title={text.frame.elsewhereTitle}
      actions={
        remote === null && (
          <Button small onClick={() => attempt(trustWorkspace)}>
            {text.frame.trust}
          </Button>
        )
      }
    >
      {text.frame.elsewhereText}
      {remote !== null && ` ${text.frame.trustOnServer(remote.folder)}`}
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
          <CopyDetails details={detail} />
        </>
      }
    >
      {`${text.frame.problemEffect(problem.code)} ${problem.message}`}
    </Banner>
  );
}
