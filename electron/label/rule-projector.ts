import type { RunEvent } from '@shared/events';
import type { RuleVerdictRow, RunRuleFold, StepProjector } from '../store/step-projector';
import { FileSight } from './file-sight';
import type { Rule } from './rule';
import { ruleSet, ruleSetVersion } from './rule-set';

/** Derives rule verdicts from the stored events of a run, one event at a time. */
export function createRuleProjector(rules: readonly Rule[] = ruleSet('default')): StepProjector {
  return {
    version: ruleSetVersion(rules),
    start: (created) => startRules(rules, created),
  };
}

function startRules(rules: readonly Rule[], created: RunEvent): RunRuleFold {
  const sight = new FileSight(created.kind === 'run.created' ? created.body.workspaceRoot : '/');
  const watchers = rules.map((rule) => ({ rule, watch: rule.start() }));
  return {
    apply(event) {
      const facts = { edits: sight.apply(event) };
      const rows: RuleVerdictRow[] = [];
      for (const { rule, watch } of watchers) {
        for (const { step, why, steps } of watch(event, facts)) {
          const { id, version, effect, hard } = rule;
          rows.push({ step, verdict: { rule: id, version, effect, hard, why, steps } });
        }
      }
      return rows;
    },
  };
}
