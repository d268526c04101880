import type { KeepCode } from '@shared/labels/guideline';
import { useEffect } from 'react';
import { useCommand } from '../../state/keys/commands';
import { toggleRange, useTimeline } from '../../state/run/timeline';
import { attempt, toast } from '../../state/toasts';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { sayWhenSaved } from './annotation-queue';
import { openCorrection } from './correction';
import { answerJudge } from './judge-answers';
import { exportLabels, mergeLabels } from './label-exchange';
import { toggleFlag } from './label-notes';
import { labelTarget } from './label-target';
import { afterUndo, undo } from './label-undo';
import { agree, decide, repeatLast, settle } from './labels';
import { giveKeepReason, giveReason, leaveReason } from './reasons';
import { dismissRetroMask, leaveTrimming, swapEnds, trimRetroMask } from './retro-masks';
import { openSimilar } from './similar';

/** Refuses to accept what cannot be kept: says so instead of labelling. A label waits for an undo that is under way. */
function labelling(work: () => void): () => void {
  return keeping(() => afterUndo(work));
}

function keeping(work: () => void): () => void {
  return () => {
    const { problem } = useWorkspace.getState();
    if (problem === null) work();
    else toast((text) => (problem.code === 'disk_full' ? text.labels.blockedDisk : text.labels.blocked));
  };
}

/** The same for work that is not done when the key is. */
function saving(work: () => Promise<void>): () => void {
  return labelling(() => attempt(work));
}

const train = labelling(() => decide('train'));
const mask = labelling(() => decide('mask'));
const clear = labelling(() => decide('clear'));
const settleTrain = labelling(() => settle('train'));
const settleMask = labelling(() => settle('mask'));
const confirm = labelling(agree);
const asJudge = labelling(() => answerJudge(true));
const againstJudge = labelling(() => answerJudge(false));
const repeat = labelling(repeatLast);
const similar = saving(openSimilar);
const correct = labelling(openCorrection);
const flag = saving(toggleFlag);
const takeBack = keeping(() => attempt(() => undo('undo')));
const bringBack = keeping(() => attempt(() => undo('redo')));
const dismiss = saving(dismissRetroMask);
const trim = labelling(trimRetroMask);
const mergeFolder = saving(() => mergeLabels('folder'));
const mergeFile = saving(() => mergeLabels('file'));
const comment = labelling(() => {
  if (labelTarget() !== null) useView.setState({ commenting: useTimeline.getState().cursor });
});

/** Every key that labels, for as long as a run can be open. */
export function useLabelCommands(): void {
  useCommand('label.train', train);
  useCommand('label.mask', mask);
  useCommand('label.clear', clear);
  useCommand('label.agree', confirm);
  useCommand('label.judge', asJudge);
  useCommand('label.againstJudge', againstJudge);
  useCommand('label.repeat', repeat);
  useCommand('label.range', toggleRange);
  useCommand('label.rangeEnd', swapEnds);
  useCommand('label.similar', similar);
  useCommand('label.settleTrain', settleTrain);
  useCommand('label.settleMask', settleMask);
  useCommand('label.correct', correct);
  useCommand('label.flag', flag);
  useCommand('label.comment', comment);
  useCommand('label.undo', takeBack);
  useCommand('label.redo', bringBack);
  useCommand('retro.trim', trim);
  useCommand('retro.dismiss', dismiss);
  useCommand('labels.merge', mergeFolder);
  useCommand('labels.mergeFile', mergeFile);
  useCommand('labels.export', () => attempt(exportLabels));
  useCommand('app.flush', () => attempt(sayWhenSaved));
  useReasonCommands();
  useKeepCommands();
  // A range that was left, or decided on, is trimmed no longer; a reason is for the steps it was set on.
  useEffect(
    () =>
      useTimeline.subscribe((state, before) => {
        if (state.anchor === null && before.anchor !== null) leaveTrimming();
        if (state.cursor !== before.cursor || state.anchor !== before.anchor || state.run !== before.run)
          leaveReason();
      }),
    [],
  );
}

function useReasonCommands(): void {
  useCommand('reason.1', () => reason(1));
  useCommand('reason.2', () => reason(2));
  useCommand('reason.3', () => reason(3));
  useCommand('reason.4', () => reason(4));
  useCommand('reason.5', () => reason(5));
  useCommand('reason.6', () => reason(6));
  useCommand('reason.7', () => reason(7));
  useCommand('reason.8', () => reason(8));
  useCommand('reason.9', () => reason(9));
}

function useKeepCommands(): void {
  useCommand('keep.sleep', () => keep('keep-sleep-while-training'));
  useCommand('keep.debugging', () => keep('keep-debugging'));
  useCommand('keep.exploration', () => keep('keep-exploration'));
  useCommand('keep.backup', () => keep('keep-backup'));
}

function keep(code: KeepCode): void {
  labelling(() => giveKeepReason(code))();
}

function reason(number: number): void {
  labelling(() => giveReason(number))();
}
