import type { RunSummary } from '@shared/contract/views';
import { finalScore } from '@shared/runs/scores';
import { Icon } from '../../components/Icon';
import { useNow } from '../../components/useNow';
import { useComputers } from '../../state/computers';
import { waitsFor } from '../../state/computers-of-run';
import { runCommand } from '../../state/keys/commands';
import { budgetsOf } from '../../state/run/budgets';
import { isImported } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { useText } from '../../text/language';
import { runWords } from '../../text/run-words';
import { BudgetCell, Meter } from './BudgetCell';
import { budgetWords } from './budget-words';
import { RunControls } from './RunControls';
import { StripHosts } from './StripHosts';

/** What the open run is and does, in one line: state, score, time, cost, context, computers, controls. */
export function Strip({ run }: { run: RunSummary }) {
  const text = useText();
  const { format } = text.common;
  const now = useNow(1000);
  const priced = usePriced(run);
  const health = useComputers((state) => state.health);
  const words = runWords(run, text, now, waitsFor(run, health));
  const { hints, scores, tokens } = run;
  const imported = isImported(run);
  // What an imported run was allowed is not known; the limits it carries here were never its own.
  const budgets = budgetsOf(
    imported ? { ...run, maxWorkingMs: null, maxSteps: null, scores: { ...scores, maxTries: null } } : run,
  );
  const where = [run.task.id, run.task.domain, run.model]
    .filter((part) => part !== null && part !== '')
    .join(' · ');
  return (
    <section className="strip" aria-label={text.runs.strip}>
      <div className="strip-cell strip-name">
        <span className="strip-key cut" title={where}>
          {where}
        </span>
        <h1 className="strip-value">
          <span className="cut" title={run.title}>
            {run.title}
          </span>
        </h1>
      </div>
      <div className="strip-cell strip-ruled strip-state" data-testid="run-state" data-state={run.state}>
        <span className="strip-key cut tabular" title={words.more === '' ? words.reason : words.more}>
          {words.reason}
        </span>
        <span className={`strip-value tone-${words.tone}`}>
          <Icon name={words.icon} />
          <span className="cut">{words.state}</span>
        </span>
      </div>
      <div className="space" />
      {hints.queued + hints.undelivered > 0 && (
        <div className="strip-cell strip-ruled">
          <span className="strip-key">{text.runs.hintsOf}</span>
          <button
            type="button"
            className={`strip-value strip-link ${hints.undelivered > 0 ? 'tone-danger' : ''}`}
            data-testid="strip-hints"
            title={hints.undelivered > 0 ? text.runs.undelivered(hints.undelivered) : text.runs.openOutbox}
            onClick={() => runCommand('hint.outbox')}
          >
            {hints.undelivered > 0
              ? text.hints.undeliveredCount(hints.undelivered)
              : text.runs.hintsWaiting(hints.queued)}
          </button>
        </div>
      )}
      <div className="strip-cell strip-ruled strip-score">
        <span className={`strip-key ${budgets.evals.level === 'plain' ? '' : 'tone-attention'}`}>
          {imported
            ? text.runs.scoreTries(scores.tries)
            : text.runs.scoreOf(format.count(scores.tries), format.count(scores.maxTries))}
        </span>
        <span className="strip-value" data-testid="run-score">
          {scores.tries === 0 && scores.final === null ? '–' : format.score(finalScore(scores))}
          {scores.best !== null && <small>{text.runs.best(format.score(scores.best))}</small>}
          {budgets.evals.share !== null && (
            <Meter
              value={budgets.evals.share}
              label={budgetWords(budgets.evals, text).sentence}
              tone={budgets.evals.level === 'plain' ? 'plain' : 'attention'}
            />
          )}
        </span>
      </div>
      <BudgetCell
        budget={budgets.time}
        unknown={imported && run.workingMs === 0 ? text.runs.timeUnknown : undefined}
      />
      <BudgetCell budget={budgets.steps} />
      <BudgetCell budget={budgets.tokens} />
      <BudgetCell budget={budgets.cost} unknown={priced ? undefined : text.runs.costUnknown} />
      <div className="strip-cell strip-context">
        <span className="strip-key">{text.runs.contextOf(format.compact(tokens.contextLimit))}</span>
        <span className="strip-value">
          {format.compact(tokens.context)}
          <Meter
            value={tokens.contextLimit === 0 ? 0 : tokens.context / tokens.contextLimit}
            label={text.runs.contextOf(format.compact(tokens.contextLimit))}
          />
        </span>
      </div>
      <StripHosts run={run} now={now} />
      <RunControls run={run} />
    </section>
  );
}

/** False when the run used tokens of a model without a price: its cost is unknown, not zero. */
function usePriced(run: RunSummary): boolean {
  // An endpoint that costs nothing makes a cost of 0 known; a price that was set or chosen later does not.
  const free = useSettings((state) =>
    (state.settings?.endpoints ?? []).some(
      ({ name, price }) =>
        name === run.endpoint && price !== null && price.input + price.cached + price.output === 0,
    ),
  );
  return free || run.cost > 0 || run.tokens.input + run.tokens.output === 0;
}
