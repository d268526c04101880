import type { RunSummary } from '@shared/contract/views';
import { hasEnded } from '@shared/runs/run-status';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Icon } from '../../components/Icon';
import { attempt } from '../../state/toasts';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { ActionComparison } from './ActionComparison';
import { queueDraft } from './hints';
import { cancelTrial, closeTrial, runTrial, type Trial, useTrial } from './rehearsal';

/** Trying a draft: the cost first, then the model's answer beside the one it gave. Nothing here acts. */
export function RehearsalDialog({ run }: { run: RunSummary }) {
  const text = useText();
  const words = text.rehearsal;
  const trial = useTrial((state) => state.trial);
  const writable = useWritable() && !hasEnded(run.state);
  if (trial === null) return null;
  const queue = () =>
    attempt(async () => {
      closeTrial();
      await queueDraft(run.id);
    });
  return (
    <Dialog
      title={words.title}
      closeLabel={text.common.close}
      width={trial.result === null ? 'normal' : 'wide'}
      onClose={closeTrial}
      foot={
        <>
          <TrialCost trial={trial} />
          <span className="space" />
          {trial.phase === 'running' ? (
            // The button that had the focus is gone: without it, keys would reach the page behind.
            <Button autoFocus onClick={cancelTrial}>
              {words.stop}
            </Button>
          ) : (
            <>
              <Button autoFocus={trial.result !== null} onClick={closeTrial}>
                {text.common.close}
              </Button>
              {trial.cost !== null && (
                <Button
                  look={trial.result === null ? 'primary' : 'plain'}
                  onClick={() => attempt(runTrial)}
                  autoFocus={trial.result === null}
                >
                  {trial.result === null ? words.run : words.again}
                </Button>
              )}
              {trial.result !== null && (
                <Button look="primary" disabled={!writable} onClick={queue}>
                  {words.queue}
                </Button>
              )}
            </>
          )}
        </>
      }
    >
      <div className="trial">
        {trial.result === null && trial.cost !== null && (
          <p className="soft">{words.asks(trial.cost.model, trial.cost.step)}</p>
        )}
        {trial.failure !== null && (
          <p className="form-error" role="alert">
            <b>{words.failed}</b> {trial.failure.message}
          </p>
        )}
        <section>
          <h3 className="sheet-title">{words.text}</h3>
          <p className="trial-draft">{trial.text}</p>
        </section>
        {trial.phase === 'running' && (
          <p className="row text-12 quiet" role="status">
            <Icon name="working" small />
            {words.running}
          </p>
        )}
        {trial.result !== null && trial.phase !== 'running' && (
          <>
            <p className="trial-nothing" role="status">
              <Icon name="check" small />
              <b>{words.nothingRun}</b>{' '}
              <span className="soft">{words.nothingRunText(trial.result.step)}</span>
            </p>
            <ActionComparison result={trial.result} />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** What the model call would cost; after it, what it did cost. */
function TrialCost({ trial }: { trial: Trial }) {
  const text = useText();
  const words = text.rehearsal;
  const { format } = text.common;
  const { cost, result } = trial;
  if (result !== null && result.paid !== null)
    return <span className="text-12 quiet tabular">{words.paid(format.money(result.paid))}</span>;
  if (cost === null)
    return trial.phase === 'pricing' ? <span className="text-12 quiet">{words.pricing}</span> : null;
  const money = cost.cost === null ? words.noPrice : words.atMost(format.money(cost.cost));
  return (
    <span className="text-12 quiet tabular" data-testid="trial-cost">
      {words.cost(format.compact(cost.inputTokens), format.compact(cost.outputTokens), money)}
    </span>
  );
}
