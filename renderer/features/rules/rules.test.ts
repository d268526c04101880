import type { RuleParameterView } from '@shared/contract/rules/rule-views';
import { describe, expect, it } from 'vitest';
import { BridgeStand } from '../../state/bridge-fixtures';
import {
  applyRules,
  draftOf,
  isEmpty,
  isOn,
  parsedValue,
  type RuleDraft,
  sameDraft,
  valueIn,
  withOn,
  withPrecedence,
  withValue,
} from './rules';

const view = { id: 'keep-debugging' as const, otherwise: true };
const within: RuleParameterView = { name: 'within_steps', value: 20, otherwise: 20, from: 'rule' };
const none: RuleDraft = { rules: {} };

describe('a draft of rule settings', () => {
  it('holds only what differs from the task', () => {
    const off = withOn(none, view, false);
    expect(off.rules['keep-debugging']).toEqual({ on: false, parameters: {} });
    expect(isOn(off, view)).toBe(false);
    expect(withOn(off, view, true)).toEqual(none);
    const wide = withValue(off, 'keep-debugging', within, 40);
    expect(valueIn(wide, 'keep-debugging', within)).toBe(40);
    expect(withValue(wide, 'keep-debugging', within, 20)).toEqual(off);
    expect(isEmpty(withOn(withValue(wide, 'keep-debugging', within, 20), view, true))).toBe(true);
    expect(withPrecedence(withPrecedence(none, 'judge_over_rule', 'union'), 'union', 'union')).toEqual(none);
  });
  it('starts from what is stored, and compares without order', () => {
    const settings = withOn(none, view, false);
    expect(draftOf({ setting: { task: 't', settings, at: 1, author: 'a' } })).toBe(settings);
    expect(draftOf({ setting: null })).toEqual(none);
    const two = withOn(withOn(none, view, false), { id: 'null', otherwise: true }, false);
    const same = withOn(withOn(none, { id: 'null', otherwise: true }, false), view, false);
    expect(sameDraft(two, same)).toBe(true);
    expect(sameDraft(two, settings)).toBe(false);
  });
  it('reads what is typed in the kind of the parameter', () => {
    expect(parsedValue('12', 3)).toBe(12);
    expect(parsedValue('1,5', 3)).toBe(1.5);
    expect(parsedValue('many', 3)).toBe(null);
    expect(parsedValue(' a \n\nb', ['x'])).toEqual(['a', 'b']);
    expect(parsedValue('x'.repeat(301), ['x'])).toBe(null);
  });
  it('is taken back by an empty one', async () => {
    const stand = new BridgeStand({ 'rules.apply': () => undefined });
    await applyRules('t', withOn(none, view, false));
    await applyRules('t', none);
    expect(stand.calls.map(([, input]) => (input as { settings: unknown }).settings)).toEqual([
      withOn(none, view, false),
      null,
    ]);
  });
});
