import type { RunSummary } from '@shared/contract/views';
import { call } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { Icon } from '../../components/Icon';
import { useNow } from '../../components/useNow';
import { useAsked } from '../../state/answers';
import { refreshRun } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';

export type Control = 'after_step' | 'now' | 'stop';

export interface ControlSheetProps {
  run: RunSummary;
  control: Control;
  onClose: () => void;
}

/** Asked before a run is paused, held or stopped: what that does, and what goes on all the same and where. */
export function ControlSheet({ run, control, onClose }: ControlSheetProps) {
  const text = useText();
  const words = text.runs;
  const title = {
    after_step: words.afterStepTitle,
    now: words.holdTitle,
    stop: words.stopTitle,
  }[control](run.title);
  const verb = { after_step: words.pauseAfterStep, now: words.holdNow, stop: words.stop }[control];
  const effect = {
    after_step: words.pauseAfterStepText,
    now: words.holdNowText,
    stop: `${words.stopText} ${words.stopBody}`,
  }[control];

  async function act(): Promise<void> {
    if (control === 'stop') await call('runs.stop', { run: run.id });
    else await call('runs.pause', { run: run.id, mode: control });
    if (control === 'after_step') toast((now) => now.runs.asked(run.title));
    refreshRun(run.id);
  }
  return (
    <ActionDialog
      title={title}
      width="small"
      onClose={onClose}
      label={verb}
      danger={control === 'stop'}
      focus
      onDo={() => {
        onClose();
        attempt(act);
      }}
    >
      <p className="soft">{effect}</p>
      <h3 className="sheet-title">{words.keepsRunning}</h3>
      <Running run={run} />
    </ActionDialog>
  );
}

/** The commands that go on by themselves, or why nobody knows. */
function Running({ run }: { run: RunSummary }) {
  const text = useText();
  const words = text.runs;
  const now = useNow(1000);
  const { value: commands, failure } = useAsked('runs.running', { run: run.id });
  if (failure !== null)
    return (
      <p className="text-12 tone-attention" role="status">
        {words.keepsRunningUnknown(failure.message)}
      </p>
    );
  if (commands === null) return <p className="text-12 quiet">{words.keepsRunningLooking}</p>;
  if (commands.length === 0) return <p className="text-12 quiet">{words.keepsRunningNothing}</p>;
  return (
    <ul className="running-list">
      {commands.map((each) => (
        <li key={`${each.computer}:${each.session}`}>
          <Icon name="terminal" small />
          <span className="running-where">
            <b className="medium">{each.computer}</b>{' '}
            <span className="quiet">
              {[
                each.host === null ? words.localComputer : each.host === each.computer ? '' : each.host,
                words.runningIn(each.session),
                each.since === null
                  ? ''
                  : words.runningSince(text.common.format.duration(floorSecond(now - each.since))),
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </span>
          {each.command !== null && (
            <code className="mono-12 cut running-command" title={each.command}>
              {each.command}
            </code>
          )}
        </li>
      ))}
      <li className="running-note text-12 quiet">{words.goesOnUntil}</li>
    </ul>
  );
}

function floorSecond(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000) * 1000);
}
