import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { attempt } from '../../state/toasts';
import { useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { dismissLeftRuns, resumeLeftRuns, useLeftRuns } from './left-runs';

/** After a crash or a reboot: which runs stand still because nobody drives them, and the way to go on with all. */
export function LeftRunsBanner() {
  const { runs: text, common } = useText();
  const runs = useLeftRuns((state) => state.runs);
  const readOnly = useWorkspace((state) => state.status?.isReadOnly === true);
  if (runs.length === 0 || readOnly) return null;
  return (
    <Banner
      tone="attention"
      icon="unlinked"
      title={text.leftTitle(runs.length)}
      actions={
        <>
          <Button small icon="play" onClick={() => attempt(resumeLeftRuns)}>
            {text.resumeLeft(runs.length)}
          </Button>
          <Button look="ghost" small onClick={dismissLeftRuns}>
            {text.notNow}
          </Button>
        </>
      }
    >
      {common.list(runs.map(({ title }) => title))}
    </Banner>
  );
}
