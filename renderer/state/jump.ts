import type { CommandInput } from '@shared/ipc';
import { call } from '../api';
import { moveCursor, useTimeline } from './timeline';
import { toast } from './toasts';

type StepFilter = CommandInput<'timeline.find'>['filter'];

/** Puts the cursor on the next or previous step of a kind; says so when there is none. */
export async function jump(filter: StepFilter, direction: 1 | -1): Promise<void> {
  const { run, cursor } = useTimeline.getState();
  if (run === null) return;
  const found = await call('timeline.find', { run, filter, from: cursor, direction });
  if (useTimeline.getState().run !== run) return;
  if (found.step === null) toast((text) => text.timeline.nothingFurther);
  else moveCursor(found.step);
}
