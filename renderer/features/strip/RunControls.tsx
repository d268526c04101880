import type { RunSummary } from '@shared/views';
import { useState } from 'react';
import { call } from '../../api';
import { Button, IconButton } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import type { MenuItem } from '../../components/Menu';
import { Menu } from '../../components/Menu';
import { hasEnded, isMoving, refreshRun, refreshRuns } from '../../state/runs';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';

/** Wake, pause, resume, and the menu that says what each of the others does. */
export function RunControls({ run }: { run: RunSummary }) {
  const text = useText();
  const words = text.runs;
  const [asking, setAsking] = useState<'stop' | 'remove' | null>(null);
  const id = { run: run.id };
  const moving = isMoving(run.state) || run.state === 'waiting_human';
  const resumable = run.state === 'paused' || run.state === 'undriven' || run.state === 'created';

  async function pause(mode: 'after_step' | 'now'): Promise<void> {
    await call('runs.pause', { ...id, mode });
    if (mode === 'after_step') toast((now) => now.runs.asked(run.title));
    refreshRun(run.id);
  }
  async function wake(): Promise<void> {
    await call('runs.wake', id);
    toast((now) => now.runs.woken);
  }
  async function verify(): Promise<void> {
    toast((now) => now.runs.verifying);
    const report = await call('runs.verify', id);
    const problems = report.workspace.length + report.runs.reduce((sum, one) => sum + one.problems.length, 0);
    toast((now) =>
      report.ok ? now.runs.verified(now.common.format.count(run.events)) : now.runs.verifyProblems(problems),
    );
  }
  async function remove(): Promise<void> {
    await call('runs.remove', { ...id, mode: 'run' });
    toast((now) => now.runs.removed(run.title));
    refreshRuns();
  }

  const items: MenuItem[] = [
    ...(moving
      ? [
          {
            id: 'now',
            label: words.pauseNow,
            text: words.pauseNowText,
            icon: 'pause' as const,
            run: () => attempt(() => pause('now')),
          },
        ]
      : []),
    ...(hasEnded(run.state)
      ? []
      : [
          {
            id: 'stop',
            label: words.stop,
            text: words.stopText,
            icon: 'stop' as const,
            danger: true,
            run: () => setAsking('stop'),
          },
        ]),
    {
      id: 'verify',
      label: words.verify,
      text: words.verifyText,
      icon: 'check',
      line: !hasEnded(run.state),
      run: () => attempt(verify),
    },
    ...(moving
      ? []
      : [
          {
            id: 'remove',
            label: words.removeRun,
            text: words.removeRunText,
            icon: 'close' as const,
            danger: true,
            run: () => setAsking('remove'),
          },
        ]),
  ];

  return (
    <div className="strip-cell strip-ruled strip-actions">
      {run.state === 'sleeping' && (
        <Button title={words.wakeText} onClick={() => attempt(wake)}>
          {words.wake}
        </Button>
      )}
      {moving && (
        <Button
          icon="pause"
          title={words.pauseAfterStepText}
          onClick={() => attempt(() => pause('after_step'))}
        >
          {words.pauseAfterStep}
        </Button>
      )}
      {resumable && (
        <Button
          look="primary"
          icon="play"
          title={words.resumeText}
          onClick={() => attempt(() => call('runs.resume', id))}
        >
          {run.state === 'created' ? words.start : words.resume}
        </Button>
      )}
      <Menu
        label={words.moreControls}
        items={items}
        button={(props) => <IconButton icon="more" look="plain" label={words.moreControls} {...props} />}
      />
      {asking !== null && (
        <Dialog
          title={asking === 'stop' ? words.stopTitle(run.title) : words.removeTitle(run.title)}
          closeLabel={text.common.cancel}
          width="small"
          onClose={() => setAsking(null)}
          foot={
            <>
              <span className="space" />
              <Button onClick={() => setAsking(null)}>{text.common.cancel}</Button>
              <Button
                look="danger"
                data-autofocus
                onClick={() => {
                  setAsking(null);
                  attempt(asking === 'stop' ? () => call('runs.stop', id) : remove);
                }}
              >
                {asking === 'stop' ? words.stop : words.removeRun}
              </Button>
            </>
          }
        >
          <p className="soft">
            {asking === 'stop' ? words.stopBody : words.removeBody(text.common.steps(run.steps))}
          </p>
        </Dialog>
      )}
    </div>
  );
}
