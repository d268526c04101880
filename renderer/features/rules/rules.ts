import type { RuleId, RuleSettings, RuleValue } from '@shared/contract/rules/rule-settings';
import type { RuleParameterView, RuleView, RunRules } from '@shared/contract/rules/rule-views';
import { call } from '../../api';

/** What the person has changed and not applied: the workspace's settings as they would be. */
export type RuleDraft = RuleSettings;

/** The settings that hold now; none is as the task says. */
export function draftOf({ setting }: Pick<RunRules, 'setting'>): RuleDraft {
  return setting?.settings ?? { rules: {} };
}

/** Whether a rule is on in the draft. */
export function isOn(draft: RuleDraft, view: Pick<RuleView, 'id' | 'otherwise'>): boolean {
  return draft.rules[view.id]?.on ?? view.otherwise;
}

/** A parameter's value in the draft. */
export function valueIn(draft: RuleDraft, rule: RuleId, parameter: RuleParameterView): RuleValue {
  return draft.rules[rule]?.parameters[parameter.name] ?? parameter.otherwise;
}

/** What is as the task says leaves no trace in the settings. */
export function withOn(draft: RuleDraft, view: Pick<RuleView, 'id' | 'otherwise'>, on: boolean): RuleDraft {
  const { on: _before, ...rest } = draft.rules[view.id] ?? { parameters: {} };
  return tidied(draft, view.id, on === view.otherwise ? rest : { ...rest, on });
}

export function withValue(
  draft: RuleDraft,
  rule: RuleId,
  parameter: RuleParameterView,
  value: RuleValue,
): RuleDraft {
  const choice = draft.rules[rule] ?? { parameters: {} };
  const { [parameter.name]: _before, ...others } = choice.parameters;
  const same = JSON.stringify(value) === JSON.stringify(parameter.otherwise);
  const own = typeof value === 'object' ? [...value] : value;
  return tidied(draft, rule, {
    ...choice,
    parameters: same ? others : { ...others, [parameter.name]: own },
  });
}

export function withPrecedence(
  draft: RuleDraft,
  precedence: NonNullable<RuleDraft['precedence']>,
  otherwise: string,
): RuleDraft {
  return precedence === otherwise ? { rules: draft.rules } : { ...draft, precedence };
}

function tidied(draft: RuleDraft, rule: RuleId, choice: NonNullable<RuleDraft['rules'][RuleId]>): RuleDraft {
  const { [rule]: _before, ...others } = draft.rules;
  const empty = choice.on === undefined && Object.keys(choice.parameters).length === 0;
  return { ...draft, rules: empty ? others : { ...others, [rule]: choice } };
}

export function isEmpty({ rules, precedence }: RuleDraft): boolean {
  return Object.keys(rules).length === 0 && precedence === undefined;
}

export function sameDraft(a: RuleDraft, b: RuleDraft): boolean {
  const text = ({ rules, precedence }: RuleDraft) =>
    JSON.stringify([Object.entries(rules).sort(([x], [y]) => (x < y ? -1 : 1)), precedence ?? null]);
  return text(a) === text(b);
}

/** What was typed as a parameter of this kind; null when it is none. A list has one entry per line. */
export function parsedValue(text: string, known: RuleValue): RuleValue | null {
  if (typeof known === 'number') {
    const number = Number(text.replace(',', '.'));
    return text.trim() !== '' && Number.isFinite(number) ? number : null;
  }
  if (typeof known === 'object') {
    const lines = text.split('\n').flatMap((line) => line.trim() || []);
    return lines.every(isShort) && lines.length <= 100 ? lines : null;
  }
  return typeof known === 'string' ? text : null;
}

const isShort = (line: string) => line.length <= 300;

/** Stores the draft for the task; with nothing in it the task's own word holds again. */
export async function applyRules(task: string, draft: RuleDraft): Promise<void> {
  await call('rules.apply', { task, settings: isEmpty(draft) ? null : draft });
}
