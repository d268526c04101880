import { createHash } from 'node:crypto';
import type { Rule } from './rule';
import { blindEdit } from './rules/blind-edit';
import { blindEditStrict } from './rules/blind-edit-strict';
import { commandFailed } from './rules/command-failed';
import { errorObservation } from './rules/error-observation';
import { nullAnswer } from './rules/null-answer';

/** `apollo` adds the paper's strict edit rule. */
export type RulePreset = 'default' | 'apollo';

export function ruleSet(preset: RulePreset): readonly Rule[] {
  const rules = [errorObservation, nullAnswer, commandFailed, blindEdit];
  return preset === 'apollo' ? [...rules, blindEditStrict] : rules;
}

/** What identifies the verdicts of a rule set: id, version and parameters of each rule, in the order of their ids. */
export function ruleSetFacts(
  rules: readonly Rule[],
): { id: string; version: number; parameters: Rule['parameters'] }[] {
  return rules
    .map(({ id, version, parameters }) => ({ id, version, parameters }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** sha256 of the facts of the set. */
export function ruleSetVersion(rules: readonly Rule[]): string {
  return createHash('sha256')
    .update(JSON.stringify(ruleSetFacts(rules)))
    .digest('hex');
}
