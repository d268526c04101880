import type { RunSummary } from '@shared/contract/views';
import { hasEnded } from '@shared/runs/run-status';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { Button, IconButton } from '../../components/Button';
import type { MenuItem } from '../../components/Menu';
import { Menu } from '../../components/Menu';
import { useCommand } from '../../state/keys/commands';
import { isMoving, refreshRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { useOnlyRead } from '../../state/workspace';
import { useText } from '../../text/language';
import { AllowedKindsDialog } from '../approvals/AllowedKindsDialog';
import { branchItems } from '../branches/branches';
import { judgeItem } from '../judging/judging';
import { rubricItem } from '../judging/rubric';
import { KeyMissingDialog } from '../settings/KeyMissingDialog';
import { loadKeys, useKeys } from '../settings/keys';
import { type Control, ControlSheet } from './ControlSheet';
import { LimitsDialog } from './LimitsDialog';
import { ModelDialog } from './ModelDialog';
import { RecordDialog } from './RecordDialog';

/** What the menu offers that only looks. */
const looking: ReadonlySet<string> = new Set(['record', 'verify', 'checkpoints', 'lineage']);

type Asking = Control | 'kinds' | 'limits' | 'model' | 'record' | 'key' | 'remove';

/** Wake, pause, resume, and the menu of everything else; what takes the run from its work is asked about first. */
export function RunControls({ run }: { run: RunSummary }) {
  const text = useText();
  const words = text.runs;
  const [asking, setAsking] = useState<Asking | null>(null);
  const more = useRef<HTMLDivElement>(null);
  const keyLocked = useKeys((state) => state.keeping?.kept === 'locked');
  const id = { run: run.id };
  const ended = hasEnded(run.state);
  const moving = isMoving(run.state) || run.state === 'waiting_human';
  const resumable = run.state === 'paused' || run.state === 'undriven' || run.state === 'created';
  const keyMissing = run.state === 'paused' && run.reason === 'model_key_missing';
  const endpointDiffers = run.state === 'paused' && run.reason === 'endpoint_differs';
  const close = () => setAsking(null);
  const onlyRead = useOnlyRead();
  const held = onlyRead ? { disabled: true, title: text.frame.onlyReadWhy } : {};

  useEffect(() => {
    if (keyMissing) attempt(loadKeys);
  }, [keyMissing]);
  useCommand('run.control', () => {
    more.current?.querySelector<HTMLElement>('.menu-anchor button')?.click();
  });

  async function wake(): Promise<void> {
    await call('runs.wake', id);
    toast((now) => now.runs.woken);
  }
  async function verify(): Promise<void> {
    toast((now) => now.runs.verifying);
    const report = await call('runs.verify', id);
    const problems = report.workspace.length + report.runs.reduce((sum, one) => sum + one.problems.length, 0);
    const known = report.runs.reduce((sum, one) => sum + (one.known?.length ?? 0), 0);
    toast((now) =>
      report.ok
        ? now.runs.verified(now.common.format.count(run.events), known)
        : now.runs.verifyProblems(problems),
    );
  }

  const pausing: MenuItem[] = [
    {
      id: 'after_step',
      label: words.pauseAfterStep,
      text: words.pauseAfterStepText,
      icon: 'pause',
      run: () => setAsking('after_step'),
    },
    {
      id: 'now',
      label: words.holdNow,
      text: words.holdNowText,
      icon: 'pause',
      run: () => setAsking('now'),
    },
  ];
  const changing: MenuItem[] = [
    {
      id: 'limits',
      label: words.changeLimits,
      text: words.changeLimitsText,
      icon: 'settings',
      line: moving,
      run: () => setAsking('limits'),
    },
    {
      id: 'model',
      label: words.changeModel,
      text: words.changeModelText,
      icon: 'repeat',
      run: () => setAsking('model'),
    },
  ];
  const kinds: MenuItem = {
    id: 'kinds',
    label: text.approvals.kindsItem,
    text: text.approvals.kindsItemText,
    icon: 'question',
    run: () => setAsking('kinds'),
  };
  const items: MenuItem[] = [
    ...(moving ? pausing : []),
    ...(ended ? [] : [...changing, kinds]),
    ...branchItems(run.id, text, !ended),
    judgeItem(run.id, text),
    rubricItem(run, text),
    {
      id: 'record',
      label: words.record,
      text: words.recordText,
      icon: 'list',
      line: true,
      run: () => setAsking('record'),
    },
    {
      id: 'verify',
      label: words.verify,
      text: words.verifyText,
      icon: 'check',
      run: () => attempt(verify),
    },
    ...(ended
      ? []
      : [
          {
            id: 'stop',
            label: words.stop,
            text: words.stopText,
            icon: 'stop' as const,
            danger: true,
            line: true,
            run: () => setAsking('stop'),
          },
        ]),
    ...(moving
      ? []
      : [
          {
            id: 'remove',
            label: words.removeRun,
            text: words.removeRunText,
            icon: 'close' as const,
            danger: true,
            line: ended,
            run: () => setAsking('remove'),
          },
        ]),
  ];

  return (
    <div ref={more} className="strip-cell strip-ruled strip-actions">
      {run.state === 'sleeping' && (
        <Button title={words.wakeText} onClick={() => attempt(wake)} {...held}>
          {words.wake}
        </Button>
      )}
      {moving && (
        <Button
          icon="pause"
          title={words.pauseAfterStepText}
          onClick={() => setAsking('after_step')}
          {...held}
        >
          {words.pause}
        </Button>
      )}
      {keyMissing && (
        <Button look="primary" icon="key" onClick={() => setAsking('key')} {...held}>
          {keyLocked ? words.unlockKeys : words.giveKey}
        </Button>
      )}
      {endpointDiffers && (
        <Button look="primary" icon="repeat" onClick={() => setAsking('model')} {...held}>
          {words.changeModel}
        </Button>
      )}
      {resumable && (
        <Button
          look={keyMissing || endpointDiffers ? 'plain' : 'primary'}
          icon="play"
          title={words.resumeText}
          onClick={() => attempt(() => call('runs.resume', id))}
          {...held}
        >
          {run.state === 'created' ? words.start : words.resume}
        </Button>
      )}
      <Menu
        label={words.moreControls}
        items={items.map((item) =>
          onlyRead && !looking.has(item.id)
            ? { ...item, disabled: true, text: text.frame.onlyReadWhy }
            : item,
        )}
        button={(props) => <IconButton icon="more" look="plain" label={words.moreControls} {...props} />}
      />
      {(asking === 'after_step' || asking === 'now' || asking === 'stop') && (
        <ControlSheet run={run} control={asking} onClose={close} />
      )}
      {asking === 'kinds' && <AllowedKindsDialog run={run.id} onClose={close} />}
      {asking === 'limits' && <LimitsDialog run={run} onClose={close} />}
      {asking === 'model' && <ModelDialog run={run} onClose={close} />}
      {asking === 'record' && <RecordDialog run={run} onClose={close} />}
      {asking === 'key' && <KeyMissingDialog run={run} onClose={close} />}
      {asking === 'remove' && <RemoveSheet run={run} onClose={close} />}
    </div>
  );
}

function RemoveSheet({ run, onClose }: { run: RunSummary; onClose: () => void }) {
  const text = useText();
  const words = text.runs;
  async function remove(): Promise<void> {
    await call('runs.remove', { run: run.id, mode: 'run' });
    toast((now) => now.runs.removed(run.title));
    refreshRuns();
  }
  return (
    <ActionDialog
      title={words.removeTitle(run.title)}
      width="small"
      onClose={onClose}
      label={words.removeRun}
      danger
      focus
      onDo={() => {
        onClose();
        attempt(remove);
      }}
    >
      <p className="soft">{words.removeBody(text.common.steps(run.steps))}</p>
    </ActionDialog>
  );
}
