import type { EventKind, RunEvent } from '@shared/log/events';
import type { RuleVerdictRow, RunRuleFold, StepProjector } from '../store/projections/step-projector';
import { FactsFold } from './facts-fold';
import { followedFiles } from './followed-files';
import type { Rule, RuleInForce } from './rule';
import { ruleSetFor, ruleSetVersion, ruleWords } from './rule-set';
import { ruleTask } from './rule-task';

/** Derives rule verdicts from the stored events of a run, one event at a time, as its task and the workspace say. */
export function createRuleProjector(): StepProjector {
  return {
    wordsOf: ruleWords,
    inForce: (spec, settings) => {
      const set = ruleSetFor(spec, settings);
      return { version: ruleSetVersion(set), precedence: set.precedence };
    },
    start: (created, settings) =>
      startRules(
        ruleSetFor(created.kind === 'run.created' ? created.body.spec : {}, settings).rules,
        created,
      ),
  };
}

/** One pass of a chosen set of rules over a run. */
export function startRules(rules: readonly RuleInForce[], created: RunEvent): RunRuleFold {
  if (created.kind !== 'run.created') return { apply: () => [] };
  const task = ruleTask(created.body);
  const { spec, workspaceRoot } = created.body;
  const fold = new FactsFold(workspaceRoot, followedFiles(spec, workspaceRoot));
  const hearing = new Map<EventKind, { rule: Rule; watch: ReturnType<Rule['start']> }[]>();
  for (const { rule, parameters } of rules) {
    const watcher = { rule, watch: rule.start(task, parameters) };
    for (const kind of rule.hears) hearing.set(kind, [...(hearing.get(kind) ?? []), watcher]);
  }
  return {
    apply(event) {
      const facts = fold.apply(event);
      const rows: RuleVerdictRow[] = [];
      for (const { rule, watch } of hearing.get(event.kind) ?? []) {
        for (const { step, why, steps } of watch(event, facts)) {
          const { id, version, effect, hard } = rule;
          rows.push({ step, verdict: { rule: id, version, effect, hard, why, steps } });
        }
      }
      return rows;
    },
  };
}
