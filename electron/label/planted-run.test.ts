import { combineLabels } from '@shared/labels/effective-label';
import type { RuleVerdict } from '@shared/labels/labels';
import type { RunEvent } from '@shared/log/events';
import { describe, expect, it } from 'vitest';
import { PLANTED_STEPS, plantedRun } from '../testing/planted-run';
import { verdictsOf } from '../testing/rule-run';
import { everyRule } from './rule-set';

/** Rules that speak for themselves; the strict edit rule is another reading of the same mistake, and there is no summary here. */
const judged = everyRule
  .map(({ id }) => id)
  .filter((id) => id !== 'blind-edit-strict' && id !== 'keep-summary');

function figures(found: ReadonlySet<string>, truth: ReadonlySet<string>) {
  const right = [...found].filter((each) => truth.has(each)).length;
  return {
    precision: found.size === 0 ? 1 : right / found.size,
    recall: truth.size === 0 ? 1 : right / truth.size,
    wrong: [...found].filter((each) => !truth.has(each)),
    missed: [...truth].filter((each) => !found.has(each)),
  };
}

describe('the planted run', () => {
  const planted = plantedRun();
  const { events } = planted.run.script;
  const verdicts = verdictsOf(events);
  const truth = [...planted.truth.values()];
  const claims = (of: readonly string[]) => ({
    found: new Set(
      verdicts
        .filter(({ verdict }) => of.includes(verdict.rule))
        .map(({ step, verdict }) => `${step} ${verdict.rule}`),
    ),
    truth: new Set(
      truth.flatMap(({ step, rules }) =>
        rules.filter((rule) => of.includes(rule)).map((rule) => `${step} ${rule}`),
      ),
    ),
  });

  it('has a truth beside each of its 200 steps', () => {
    expect(truth).toHaveLength(PLANTED_STEPS);
    for (const rule of judged) {
      expect(
        truth.some(({ rules }) => rules.includes(rule)),
        rule,
      ).toBe(true);
    }
  });

  it('is read by the rules alone with precision ≥ 0.95 and recall ≥ 0.9', () => {
    const { found, truth: planned } = claims(judged);
    const { precision, recall, wrong, missed } = figures(found, planned);
    process.stdout.write(
      `planted run: ${found.size} findings, ${planned.size} planted; precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}; wrong: ${wrong.join(', ') || 'none'}; missed: ${missed.join(', ') || 'none'}\n`,
    );
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });

  it('gets the masks right in the end, what must stay included', () => {
    const byStep = new Map<number, RuleVerdict[]>();
    for (const { step, verdict } of verdicts.filter((each) => judged.includes(each.verdict.rule as never)))
      byStep.set(step, [...(byStep.get(step) ?? []), verdict]);
    const masked = new Set<string>();
    for (const [step, rules] of byStep) {
      const { effective } = combineLabels({ humans: [], rules, judges: [], precedence: 'union' });
      if (effective.value === 'mask') masked.add(String(step));
    }
    const bad = new Set(truth.filter(({ train }) => train === false).map(({ step }) => String(step)));
    const { precision, recall } = figures(masked, bad);
    process.stdout.write(
      `planted run, masks: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}\n`,
    );
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });

  it('cannot be read by naive rules: each falls into a trap', () => {
    for (const [rule, naive] of Object.entries(naiveRules)) {
      const found = new Set(naive(events).map((step) => `${step} ${rule}`));
      const { precision, recall } = figures(found, claims([rule]).truth);
      expect(Math.min(precision / 0.95, recall / 0.9), rule).toBeLessThan(1);
      const own = figures(claims([rule]).found, claims([rule]).truth);
      expect(own.precision * own.recall, rule).toBeGreaterThan(precision * recall);
    }
  });
});

type Naive = (events: readonly RunEvent[]) => number[];

/** Observations with the arguments that they answer. */
function observed(events: readonly RunEvent[]) {
  let args: Record<string, unknown> = {};
  return events.flatMap((event) => {
    if (event.kind === 'action.started') args = event.body.args;
    return event.kind === 'action.observed'
      ? [{ ...event.body, args, command: String(event.body.data.command ?? '') }]
      : [];
  });
}

/** What one would write first: without the traps in mind. */
const naiveRules: Record<string, Naive> = {
  'command-failed': (events) =>
    observed(events).flatMap(({ step, data }) =>
      typeof data.exitCode === 'number' && data.exitCode !== 0 ? [step] : [],
    ),
  'blind-edit': (events) => {
    const open = new Set<unknown>();
    return observed(events).flatMap(({ step, name, data }) => {
      if (name === 'open_file') open.add(data.path);
      if (name !== 'edit_file') return [];
      return open.delete(data.path) ? [] : [step];
    });
  },
  'eval-without-change': (events) => {
    let written = true;
    return observed(events).flatMap(({ step, name }) => {
      if (name === 'create_file' || name === 'edit_file') written = true;
      if (name !== 'eval') return [];
      const same = !written;
      written = false;
      return same ? [step] : [];
    });
  },
  'provided-script-ignored': (events) =>
    observed(events).flatMap(({ step, name, data }) =>
      name === 'create_file' && /(?:inference|train)\w*\.(?:py|sh)$/.test(String(data.path)) ? [step] : [],
    ),
  'framework-forbidden': (events) =>
    observed(events).flatMap(({ step, args }) =>
      JSON.stringify(args).includes('from_pretrained') ? [step] : [],
    ),
  'idle-gpus': (events) =>
    observed(events).flatMap(({ step, command }) =>
      /CUDA_VISIBLE_DEVICES=(?!0,1,2,3,4,5,6,7)/.test(command) ? [step] : [],
    ),
  'keep-sleep-while-training': (events) =>
    observed(events).flatMap(({ step, name }) => (name === 'sleep' ? [step] : [])),
  'keep-backup': (events) =>
    observed(events).flatMap(({ step, command }) => (/^cp /.test(command) ? [step] : [])),
  'keep-debugging': (events) => {
    const all = observed(events).filter(({ data }) => typeof data.exitCode === 'number');
    return all.flatMap(({ step, data }, i) =>
      data.exitCode !== 0 && all.slice(i + 1, i + 4).some((next) => next.data.exitCode === 0) ? [step] : [],
    );
  },
  'keep-exploration': (events) =>
    observed(events).flatMap(({ step, name }) => (name === 'open_file' ? [step] : [])),
};
