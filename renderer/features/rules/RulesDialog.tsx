import { precedences } from '@shared/contract/rules/rule-settings';
import type { RuleView, RunRules } from '@shared/contract/rules/rule-views';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { FormLine, Select } from '../../components/Field';
import { useNow } from '../../components/useNow';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { DetectorLines } from './DetectorLines';
import { RuleLine } from './RuleLine';
import { RulePreviewTable } from './RulePreviewTable';
import { applyRules, draftOf, isEmpty, type RuleDraft, sameDraft, withPrecedence } from './rules';
import './rules.css';

/** The symbolic rules of the open run's task: what they are and say, what other settings would change, and applying them. */
export function RulesDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.rules;
  const run = useTimeline((state) => state.run);
  const asked = useAsked('rules.ofRun', run === null ? null : { run });
  const task = useRuns((state) => state.list.find(({ id }) => id === run)?.task.title ?? '');
  return (
    <Dialog title={words.title(task)} closeLabel={text.common.close} width="wide" onClose={onClose}>
      {asked.failure !== null && (
        <p className="tone-danger text-12" role="alert">
          {asked.failure.message}
        </p>
      )}
      {run === null && <p className="quiet">{words.noRun}</p>}
      {asked.value !== null && run !== null && (
        <Rules
          key={`${run} ${asked.value.setting?.at ?? 0}`}
          rules={asked.value}
          again={asked.again}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function Rules({ rules, again, onClose }: { rules: RunRules; again: () => void; onClose: () => void }) {
  const text = useText();
  const words = text.rules;
  const now = useNow(60_000);
  const stored = draftOf(rules);
  const [draft, setDraft] = useState<RuleDraft>(stored);
  const [busy, setBusy] = useState(false);
  const changed = !sameDraft(draft, stored);
  const groups: { title: string; views: RuleView[] }[] = [
    { title: words.hard, views: rules.rules.filter(({ effect, hard }) => effect === 'mask' && hard) },
    { title: words.soft, views: rules.rules.filter(({ effect, hard }) => effect === 'mask' && !hard) },
    { title: words.keep, views: rules.rules.filter(({ effect }) => effect === 'keep') },
  ];
  function goTo(step: number): void {
    onClose();
    moveCursor(step);
  }
  async function apply(next: RuleDraft): Promise<void> {
    setBusy(true);
    try {
      await applyRules(rules.task, next);
      toast((now) => now.rules.applied);
      again();
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      {groups.map(({ title, views }) => (
        <section key={title} aria-label={title}>
          <h3 className="rules-group">{title}</h3>
          <ul className="rules-list">
            {views.map((view) => (
              <RuleLine
                key={view.id}
                view={view}
                count={rules.counts[view.id] ?? 0}
                draft={draft}
                onChange={setDraft}
              />
            ))}
          </ul>
        </section>
      ))}
      <DetectorLines detectors={rules.detectors} goTo={goTo} />
      <FormLine label={words.precedence} help={words.precedenceHelp}>
        {({ id, describedBy }) => (
          <Select
            id={id}
            aria-describedby={describedBy}
            value={draft.precedence ?? rules.otherwise}
            options={precedences.map((value) => ({ value, label: words.precedences[value] }))}
            onChoose={(value) => setDraft(withPrecedence(draft, value, rules.otherwise))}
          />
        )}
      </FormLine>
      <RulePreviewTable run={rules.run} task={rules.task} draft={changed ? draft : null} goTo={goTo} />
      <div className="rules-foot">
        <span className="text-12 quiet">
          {rules.setting === null
            ? words.asTask
            : words.setBy(rules.setting.author, text.common.format.when(rules.setting.at, now))}
        </span>
        <span className="space" />
        {!isEmpty(stored) && (
          <Button disabled={busy} onClick={() => attempt(() => apply({ rules: {} }))}>
            {words.clear}
          </Button>
        )}
        <Button look="primary" disabled={busy || !changed} onClick={() => attempt(() => apply(draft))}>
          {words.apply}
        </Button>
      </div>
    </>
  );
}
