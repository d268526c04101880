import type { BranchPlan } from '@shared/contract/checkpoint-views';
import { useEffect, useState } from 'react';
import { ActionDialog } from '../../components/ActionDialog';
import { FailureLine } from '../../components/FailureLine';
import { CheckLine, FormLine, Select, TextArea, TextField } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { useNow } from '../../components/useNow';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { toastFailure } from '../../state/toasts';
import { useText } from '../../text/language';
import type { BranchDraft } from './branches';
import { closeBranchDialog, createBranch, emptyDraft } from './branches';

/** A new run that goes on after a step of another: what it will hold, what not, and what is changed about its context. */
export function BranchDialog({ run, step }: { run: string; step: number }) {
  const text = useText();
  const words = text.branches;
  const summary = useRuns((state) => state.list.find(({ id }) => id === run));
  const parentTitle = summary?.title ?? run.slice(-6);
  const steps = summary?.steps ?? step;
  const endpoints = useSettings((state) => state.settings?.endpoints) ?? [];
  const [after, setAfter] = useState(step);
  const [typed, setTyped] = useState(String(step));
  const [draft, setDraft] = useState<BranchDraft>(() => emptyDraft(words.titleOf(parentTitle, step)));
  const [creating, setCreating] = useState(false);
  const plan = useAsked('branches.plan', { run, step: after });
  const wrong = !/^\d+$/.test(typed) || Number(typed) < 1 || Number(typed) > steps;
  const chosen = endpoints.find(({ name }) => name === draft.endpoint);
  const needsPrice = plan.value?.maxCost != null && chosen !== undefined && chosen.price === null;
  const change = (part: Partial<BranchDraft>) => setDraft((before) => ({ ...before, ...part }));

  // The plan follows the number once the person has stopped typing it.
  useEffect(() => {
    if (wrong || Number(typed) === after) return;
    const timer = setTimeout(() => {
      setAfter(Number(typed));
      // A title nobody has changed names the step it is about.
      setDraft((before) =>
        before.title === words.titleOf(parentTitle, after)
          ? { ...before, title: words.titleOf(parentTitle, Number(typed)) }
          : before,
      );
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, wrong, after, parentTitle, words]);

  async function create(ready: BranchPlan): Promise<void> {
    setCreating(true);
    try {
      await createBranch(ready, draft);
    } catch (thrown) {
      toastFailure(thrown);
      setCreating(false);
    }
  }
  const ready = plan.value !== null && !wrong && plan.value.step === Number(typed) ? plan.value : null;
  return (
    <ActionDialog
      title={words.branchTitle(after, parentTitle)}
      onClose={closeBranchDialog}
      label={words.create}
      icon="branch"
      disabled={ready === null || needsPrice || creating || draft.title.trim() === ''}
      note={<CheckLine checked={draft.start} label={words.start} onChange={(start) => change({ start })} />}
      onDo={() => ready !== null && create(ready)}
    >
      <FormLine label={words.after} help={words.afterHelp(steps)}>
        {({ id, describedBy }) => (
          <TextField
            id={id}
            aria-describedby={describedBy}
            aria-invalid={wrong}
            className="branch-step"
            inputMode="numeric"
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.target.value.trim())}
          />
        )}
      </FormLine>
      <FormLine label={words.title}>
        {({ id }) => (
          <TextField
            id={id}
            value={draft.title}
            maxLength={120}
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </FormLine>
      <FormLine label={words.model} error={needsPrice ? words.modelNeedsPrice : null}>
        {({ id, describedBy }) => (
          <Select
            id={id}
            aria-describedby={describedBy}
            value={draft.endpoint ?? ''}
            options={[
              { value: '', label: words.sameModel(summary?.model ?? '') },
              ...endpoints.map(({ name, model }) => ({ value: name, label: `${name} (${model})` })),
            ]}
            onChoose={(endpoint) => change({ endpoint: endpoint === '' ? null : endpoint })}
          />
        )}
      </FormLine>
      {plan.failure !== null && <FailureLine failure={plan.failure} />}
      {plan.failure === null && plan.value === null && <p className="quiet">{words.planning}</p>}
      {plan.value !== null && <PlanFacts plan={plan.value} draft={draft} change={change} />}
      <FormLine label={words.add} help={words.addHelp}>
        {({ id, describedBy }) => (
          <TextArea
            id={id}
            aria-describedby={describedBy}
            rows={3}
            maxLength={20_000}
            placeholder={words.addPlaceholder}
            value={draft.add}
            onChange={(event) => change({ add: event.target.value })}
          />
        )}
      </FormLine>
    </ActionDialog>
  );
}

interface PlanFactsProps {
  plan: BranchPlan;
  draft: BranchDraft;
  change: (part: Partial<BranchDraft>) => void;
}

function PlanFacts({ plan, draft, change }: PlanFactsProps) {
  const text = useText();
  const words = text.branches;
  const now = useNow(60_000);
  const { checkpoint } = plan;
  const dropped = plan.hints.filter(({ id }) => draft.drop.has(id)).length;
  const workspace =
    checkpoint === null
      ? words.workspaceTask
      : checkpoint.workspace === null
        ? words.workspaceLost(checkpoint.step)
        : words.workspaceFrom(checkpoint.step, text.common.format.when(checkpoint.at, now));
  return (
    <>
      <div className="form-line">
        <span className="form-label">{words.starts}</span>
        <ul className="branch-facts">
          <li>{words.context(plan.contextSteps, plan.contextTokens)}</li>
          <li>{workspace}</li>
          {checkpoint !== null && plan.stepsAfter > 0 && (
            <li className="tone-attention">
              <Icon name="warning" small />
              <span>{words.stepsAfter(plan.stepsAfter)}</span>
            </li>
          )}
        </ul>
      </div>
      {plan.notRestarted.length > 0 && (
        <div className="form-line">
          <span className="form-label">{words.notRestarted}</span>
          <ul className="branch-facts mono-12">
            {plan.notRestarted.map(({ computer, session, command }) => (
              <li key={`${computer}:${session}`} className="cut" title={command}>
                <span className="quiet">{`${computer}:${session} `}</span>
                {command}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="form-line">
        <span className="form-label">{words.hints}</span>
        {plan.hints.length === 0 ? (
          <p className="form-help branch-none">{words.hintsNone}</p>
        ) : (
          <div className="branch-hints">
            {plan.hints.map(({ id, number, step, text: hint }) => (
              <CheckLine
                key={id}
                checked={!draft.drop.has(id)}
                label={`${words.hintLine(number, step)}:`}
                help={hint}
                onChange={(keep) => {
                  const drop = new Set(draft.drop);
                  if (keep) drop.delete(id);
                  else drop.add(id);
                  change({ drop });
                }}
              />
            ))}
          </div>
        )}
        {dropped > 0 && <p className="form-help">{words.dropped(dropped)}</p>}
      </div>
    </>
  );
}
