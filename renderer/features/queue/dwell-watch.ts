import { queueClassOf } from '@shared/labels/review/queue-views';
import { call } from '../../api';
import { DwellClock, rememberDwell } from '../../state/run/dwell';
import { useTimeline } from '../../state/run/timeline';
import { useSettings } from '../../state/settings';
import { toastFailure } from '../../state/toasts';
import { type PendingLabel, useLabels } from '../labels/labels';

/** Measures how long the step under the cursor is in view until it is decided. @returns its end */
export function startDwell(): () => void {
  const clock = new DwellClock();
  const now = () => performance.now();
  const look = () => clock.look(document.visibilityState === 'visible' && document.hasFocus(), now());
  const show = () => {
    const { run, cursor } = useTimeline.getState();
    clock.show(run === null || cursor === 0 ? null : `${run}/${cursor}`, now());
  };
  const decided = ({ run, from, to, value }: PendingLabel) => {
    if (from !== to || value === 'clear') return;
    const ms = clock.take(`${run}/${from}`, now());
    rememberDwell(run, from, ms);
    const head = useTimeline.getState().run === run ? useTimeline.getState().heads.get(from) : undefined;
    const me = useSettings.getState().settings?.annotator.uuid ?? '';
    const kind = head === undefined ? null : queueClassOf(head, me);
    const machine = head?.label.source === 'rule' || head?.label.source === 'judge';
    const agreed = machine && head?.label.value === value;
    call('review.dwell', { run, step: from, ms: Math.min(ms, 86_400_000), class: kind, agreed }).catch(
      (thrown: unknown) => toastFailure(thrown),
    );
  };
  const stops = [
    useTimeline.subscribe((state, before) => {
      if (state.run !== before.run || state.cursor !== before.cursor) show();
    }),
    useLabels.subscribe((state, before) => {
      const newest = state.pending.at(-1);
      if (newest !== undefined && !before.pending.some(({ id }) => id === newest.id)) decided(newest);
    }),
  ];
  window.addEventListener('focus', look);
  window.addEventListener('blur', look);
  document.addEventListener('visibilitychange', look);
  look();
  show();
  return () => {
    for (const stop of stops) stop();
    window.removeEventListener('focus', look);
    window.removeEventListener('blur', look);
    document.removeEventListener('visibilitychange', look);
  };
}
