import type { LabelStack } from '@shared/contract/views';
import type { StepCorrection } from '@shared/labels/labels';
import { Button } from '../../components/Button';
import { runCommand } from '../../state/keys/commands';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { saveCorrection } from './correction';

/** What else was said about a step: the right action, comments, who is to review it. */
export function StackNotes({ stack, run, step }: { stack: LabelStack; run: string; step: number }) {
  const text = useText();
  const words = text.labels;
  const me = useSettings((state) => state.settings?.annotator.uuid);
  return (
    <>
      {stack.corrections.length > 0 && (
        <section className="stack-notes" aria-label={words.corrections}>
          <h3>{words.corrections}</h3>
          {stack.corrections.map((given) => (
            <CorrectionNote
              key={given.entry}
              given={given}
              mine={given.author.uuid === me}
              run={run}
              step={step}
            />
          ))}
          <p className="text-11 quiet">{words.original}</p>
        </section>
      )}
      {stack.comments.length > 0 && (
        <section className="stack-notes" aria-label={words.comments}>
          <h3>{words.comments}</h3>
          {stack.comments.map((comment) => (
            <div key={comment.entry} className="stack-note">
              <div className="row text-11 quiet">
                <b className="medium">{comment.author.name}</b>
                <span>{text.common.format.when(comment.at, Date.now())}</span>
              </div>
              <p className="stack-text">{comment.text}</p>
            </div>
          ))}
        </section>
      )}
      {stack.assigned.length > 0 && (
        <section className="stack-notes" aria-label={words.assigned}>
          <h3>{words.assigned}</h3>
          <p>{stack.assigned.map(({ to, blind }) => words.assignedTo(to.name, blind)).join(', ')}</p>
        </section>
      )}
    </>
  );
}

interface CorrectionNoteProps {
  given: StepCorrection;
  mine: boolean;
  run: string;
  step: number;
}

function CorrectionNote({ given, mine, run, step }: CorrectionNoteProps) {
  const text = useText();
  const writable = useWritable();
  const { author, at, correction } = given;
  return (
    <div className="stack-note">
      <div className="row text-11 quiet">
        <b className="medium">{author.name}</b>
        <span>{text.common.format.when(at, Date.now())}</span>
      </div>
      {correction.text !== '' && <p className="stack-text">{correction.text}</p>}
      <pre className="mono-11 stack-call">
        {correction.call.name} {correction.call.arguments}
      </pre>
      {correction.note !== '' && <p className="quiet stack-text">{correction.note}</p>}
      {mine && (
        <div className="row">
          <Button small disabled={!writable} onClick={() => runCommand('label.correct')}>
            {text.correction.edit}
          </Button>
          <Button small disabled={!writable} onClick={() => attempt(() => saveCorrection(run, step, null))}>
            {text.correction.withdraw}
          </Button>
        </div>
      )}
    </div>
  );
}
