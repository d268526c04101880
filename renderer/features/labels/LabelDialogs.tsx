import { useState } from 'react';
import { ActionDialog } from '../../components/ActionDialog';
import { FormLine, TextArea, TextField } from '../../components/Field';
import { useTimeline } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { useView } from '../../state/view';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { CorrectionDialog } from './CorrectionDialog';
import { useCorrecting } from './correction';
import { ExchangeDialog } from './ExchangeDialog';
import { useExchange } from './label-exchange';
import { addComment } from './label-notes';
import { endLift, useLabels } from './labels';
import { SimilarDialog } from './SimilarDialog';
import { useSimilar } from './similar';

/** What a label may ask: a comment's text, the reason for lifting a hard mask, which similar steps, the right action. */
export function LabelDialogs() {
  const commenting = useView((state) => state.commenting);
  const lift = useLabels((state) => state.lift);
  const similar = useSimilar((state) => state.found?.similar);
  const exchange = useExchange((state) => state.exchange);
  const correcting = useCorrecting((state) => state.step);
  return (
    <>
      {commenting !== null && <CommentDialog step={commenting} />}
      {lift !== null && <LiftDialog step={lift.step} />}
      {exchange !== null && <ExchangeDialog exchange={exchange} />}
      {similar !== undefined && <SimilarDialog similar={similar} />}
      {correcting !== null && (
        <CorrectionDialog key={`${correcting.run}/${correcting.step}`} {...correcting} />
      )}
    </>
  );
}

function CommentDialog({ step }: { step: number }) {
  const text = useText();
  const words = text.labels;
  const run = useTimeline((state) => state.run);
  const [typed, setTyped] = useState('');
  const close = (): void => useView.setState({ commenting: null });
  function save(): void {
    if (typed.trim() === '' || run === null) return;
    close();
    attempt(() => addComment(run, step, typed));
  }
  return (
    <ActionDialog
      title={words.commentTitle(step)}
      width="small"
      onClose={close}
      label={words.commentSave}
      disabled={typed.trim() === ''}
      keys={<CommandKeys command="hint.queue" />}
      onDo={save}
    >
      <TextArea
        data-autofocus
        rows={4}
        aria-label={words.commentTitle(step)}
        placeholder={words.commentPlaceholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      />
    </ActionDialog>
  );
}

function LiftDialog({ step }: { step: number }) {
  const text = useText();
  const words = text.labels;
  const [typed, setTyped] = useState('');
  function save(): void {
    if (typed.trim() !== '') endLift(typed.trim());
  }
  return (
    <ActionDialog
      title={words.liftTitle(step)}
      width="small"
      onClose={() => endLift(null)}
      label={words.liftDo}
      disabled={typed.trim() === ''}
      onDo={save}
    >
      <p className="soft dialog-lead">{words.liftText}</p>
      <FormLine label={words.liftReason}>
        {({ id }) => (
          <TextField
            id={id}
            data-autofocus
            maxLength={400}
            placeholder={words.liftPlaceholder}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') save();
            }}
          />
        )}
      </FormLine>
    </ActionDialog>
  );
}
