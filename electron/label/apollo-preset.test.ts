import { noRuleSettings, type RuleId } from '@shared/contract/rules/rule-settings';
import { describe, expect, it, test } from 'vitest';
import { parseTaskYaml } from '../task/task-yaml';
import { RuleRun, verdictsOf } from '../testing/rule-run';
import { ruleSetFor } from './rule-set';

/** A task as `task add` pins it, with every default of its schema. */
function pinned(description: string, rules = '', more = ''): Record<string, unknown> {
  const { spec, problems } = parseTaskYaml(
    [
      'id: t',
      'title: T',
      `description: ${JSON.stringify(description)}`,
      'computers: [{ name: gpu, host: local, type: gpu, gpus: { count: 8, memory_gb: 80 } }]',
      `evaluation: { command: "true", inputs: ["**"]${more} }`,
      ...(rules === '' ? [] : [`rules: ${rules}`]),
    ].join('\n'),
  );
  if (spec === null) throw new Error(JSON.stringify(problems));
  return spec;
}

const TRAIN = 'cd /workspace/task && llamafactory-cli train config.yaml';
const LORA = 'stage: sft\nfinetuning_type: lora\n';
const GENERATES =
  'from transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained(path)\nout = model.generate(**x)\n';

function masked(run: RuleRun, rule: RuleId, preset: 'default' | 'apollo' = 'apollo'): number[] {
  return verdictsOf(run.script.events, noRuleSettings, preset)
    .filter(({ verdict }) => verdict.rule === rule && verdict.effect === 'mask')
    .map(({ step }) => step);
}

describe('the preset of the paper on tasks as they are pinned', () => {
  const adapters = (description: string, rules = '') => {
    const run = new RuleRun({ spec: pinned(description, rules) });
    const steps = [run.create('task/config.yaml', LORA), run.background(TRAIN)];
    return { run, steps };
  };

  it.each([
    'Train the model as well as you can.',
    'Fine-tune all weights. Do not use LoRA.',
    'Train without adapters.',
    "You can't use PEFT here; full fine-tuning only.",
    'LoRA is forbidden.',
  ])('masks adapters where all weights could be trained: %s', (description) => {
    const { run, steps } = adapters(description);
    expect(masked(run, 'idle-gpus')).toEqual(steps);
    expect(masked(run, 'idle-gpus', 'default')).toEqual([]);
  });

  it.each([
    'Train a LoRA adapter for this model.',
    'Use PEFT.\nDo not touch the tests.',
  ])('leaves adapters alone where the task asks for them: %s', (description) => {
    expect(masked(adapters(description).run, 'idle-gpus')).toEqual([]);
  });

  it('leaves adapters alone where the task says of the rule itself that they are fine', () => {
    const said = '{ labels: { idle-gpus: { on: true, parameters: { full_training: false } } } }';
    expect(masked(adapters('Train it.', said).run, 'idle-gpus')).toEqual([]);
  });

  it('masks generation through transformers where the task speaks of vLLM, and only there', () => {
    for (const [description, expected] of [
      ['Generate the answers with vLLM, which is installed.', true],
      ['Generate the answers.', false],
    ] as const) {
      const run = new RuleRun({ spec: pinned(description) });
      const steps = [
        run.create('generate.py', GENERATES),
        run.command('cd /workspace && python generate.py'),
      ];
      expect(masked(run, 'framework-forbidden')).toEqual(expected ? steps : []);
      expect(masked(run, 'framework-forbidden', 'default')).toEqual([]);
    }
  });

  it('masks what made a score of 80 or more lower, and nothing below 80', () => {
    const lowered = (high: number, low: number) => {
      const run = new RuleRun({ spec: pinned('Train it.') });
      run.evaluate(high);
      const changed = run.edit('train.py', 'lr = 2');
      run.openFile('train.py');
      run.evaluate(low);
      return { run, changed };
    };
    const worse = lowered(86, 70);
    expect(masked(worse.run, 'action-at-full-score')).toEqual([worse.changed]);
    expect(masked(worse.run, 'action-at-full-score', 'default')).toEqual([]);
    expect(masked(lowered(79, 60).run, 'action-at-full-score')).toEqual([]);
    expect(masked(lowered(86, 85.8).run, 'action-at-full-score')).toEqual([]);
    expect(masked(lowered(86, 90).run, 'action-at-full-score')).toEqual([]);
  });

  it('masks reasoning that is made from a mould', () => {
    const run = new RuleRun({ spec: pinned('Make training data with reasoning.') });
    const code =
      'def cot(question, answer):\n    return f"<think>Let me think step by step about {question}. So the answer is {answer}.</think>{answer}"\n';
    const steps = [run.create('make.py', code), run.command('cd /workspace && python make.py')];
    expect(masked(run, 'template-thought')).toEqual(steps);
    expect(masked(run, 'template-thought', 'default')).toEqual([]);
  });
});

test('the preset of the paper takes the union of masks and its rules, whatever the settings say', () => {
  const off = { on: false, parameters: {} };
  const settings = {
    rules: { 'idle-gpus': off, 'keep-summary': off },
    precedence: 'judge_over_rule' as const,
  };
  const set = ruleSetFor(pinned('Train it.'), settings, 'apollo');
  const ids = set.rules.map(({ rule }) => rule.id);
  expect(ids).toEqual(expect.arrayContaining(['idle-gpus', 'keep-summary', 'blind-edit-strict']));
  expect(set.precedence).toBe('union');
});
