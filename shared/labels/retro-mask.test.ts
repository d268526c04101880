import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentText, proposeRetroMask, RETRO_STEPS, type RetroStep } from './retro-mask';

function steps(first: number, texts: readonly string[]): RetroStep[] {
  return texts.map((text, index) => ({ step: first + index, text }));
}

const training = steps(400, [
  'I look at the data first. ls -la /data/math',
  'The baseline script is there. cat scripts/baseline.sh',
  'LoRA is quicker to set up, so I write a config with lora_rank 8. cat > configs/lora.yaml',
  'Start it on one card. CUDA_VISIBLE_DEVICES=0 python train.py --config configs/lora.yaml --use_lora',
  'Training runs; I check the log. tail -n 20 logs/train.log',
  'Loss falls. tail -n 20 logs/train.log',
  'LoRA finished; evaluate. bash eval.sh outputs/lora',
]);

describe('the range a hint contradicts', () => {
  it('is where the forbidden thing was done', () => {
    expect(proposeRetroMask("Don't use LoRA here: do full training on all cards.", training)).toEqual({
      from: 402,
      to: 406,
      evidence: [
        { step: 402, words: ['LoRA'] },
        { step: 403, words: ['LoRA'] },
        { step: 406, words: ['LoRA'] },
      ],
    });
  });

  it('leaves out what the hint asks for instead', () => {
    const found = proposeRetroMask(
      'Use vLLM instead of transformers for inference.',
      steps(1, [
        'Read the guide of vLLM. open docs/vllm.md',
        'I write infer.py: from transformers import AutoModelForCausalLM',
        'python infer.py --split test',
        'It is slow; perhaps vLLM later. tail infer.log',
      ]),
    );
    expect(found).toEqual({ from: 2, to: 2, evidence: [{ step: 2, words: ['transformers'] }] });
  });

  it('knows paths, whole or by their file name, and not a part of another name', () => {
    const found = proposeRetroMask(
      'The labels in /data/v1/train.jsonl are broken. Take /data/v2.',
      steps(10, [
        'head /data/v10/train.jsonl.bak',
        'python make.py --in train.jsonl --out /tmp/made',
        'wc -l other_train.jsonl',
        'ls /tmp/made',
      ]),
    );
    expect(found).toMatchObject({ from: 11, to: 11 });
    expect(found?.evidence[0]?.words).toContain('train.jsonl');
  });

  it('knows numbers with their units, however they are written', () => {
    const found = proposeRetroMask(
      'Never sleep only 30 seconds while training: wait an hour.',
      steps(5, ['python train.py', 'sleep 30s', 'tail train.log', 'sleep 30 s', 'tail train.log']),
    );
    expect(found).toMatchObject({ from: 6, to: 8 });
    expect(found?.evidence.map(({ step }) => step)).toEqual([6, 8]);
  });

  it('reads Chinese by pairs of characters', () => {
    const found = proposeRetroMask(
      '不要用模板拼接思维链，改用模型采样。',
      steps(20, [
        '先看看数据格式。head data.json',
        '我准备用固定模板拼接思维链，这样最快。',
        '生成完成，检查输出。',
        '训练开始。bash train.sh',
      ]),
    );
    expect(found).toMatchObject({ from: 21, to: 21 });
    expect(found?.evidence[0]?.words).toEqual(expect.arrayContaining(['模板', '思维']));
  });

  it('ends at a gap, on the weightier side', () => {
    const quiet = Array.from({ length: 9 }, (_, index) => `ls folder${index}`);
    const found = proposeRetroMask(
      'Stop editing reward.py by hand.',
      steps(1, [
        'edit reward.py',
        ...quiet,
        'edit reward.py again',
        'python reward.py',
        'git diff reward.py',
      ]),
    );
    expect(found).toMatchObject({ from: 11, to: 13 });
  });

  it('is none when no step shares a telling word with the hint', () => {
    expect(proposeRetroMask('Good work so far, go on like this.', training)).toBeNull();
    expect(proposeRetroMask('What do you plan next?', training)).toBeNull();
  });

  it('does not take a word of most steps for a sign', () => {
    const many = steps(
      1,
      Array.from({ length: 12 }, (_, index) => `python main.py --part ${index}`),
    );
    expect(proposeRetroMask('Does main.py read the whole table?', many)).toBeNull();
    expect(proposeRetroMask('Do not run main.py any more.', many)).toMatchObject({ from: 1, to: 12 });
  });

  it('does not take one everyday word of what is forbidden for the thing itself', () => {
    const found = proposeRetroMask(
      'Do not drop paragraphs by their first characters: compare the whole texts.',
      steps(1, [
        'Goal: choose the paragraphs that are prose.',
        'wc -l data/paragraphs.tsv',
        'I drop paragraphs whose first 40 characters were seen before. python dedup.py',
        'Count the paragraphs that are left.',
      ]),
    );
    expect(found).toMatchObject({ from: 3, to: 3 });
  });

  it('is none before the first step', () => {
    expect(proposeRetroMask('Use all cards', [])).toBeNull();
  });

  it('looks at no more than sixty steps', () => {
    const many = steps(
      1,
      Array.from({ length: 100 }, () => 'use_lora'),
    );
    expect(proposeRetroMask('No more LoRA: avoid LoRA.', many)).toMatchObject({
      from: 100 - RETRO_STEPS + 1,
      to: 100,
    });
  });

  it('lies within the steps it was given, whatever hint and steps say', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('不要用模板', "don't use train.py", '8 GPUs', 'a/b.c'),
    );
    fc.assert(
      fc.property(
        text,
        fc.array(text, { maxLength: 20 }),
        fc.integer({ min: 1, max: 99 }),
        (hint, texts, at) => {
          const found = proposeRetroMask(hint, steps(at, texts));
          if (found === null) return;
          expect(found.from).toBeGreaterThanOrEqual(at);
          expect(found.to).toBeLessThanOrEqual(at + texts.length - 1);
          const places = found.evidence.map(({ step }) => step);
          expect(places).toEqual([...places].sort((a, b) => a - b));
          expect(found).toMatchObject({ from: places[0], to: places.at(-1) });
        },
      ),
    );
  });
});

describe('arguments', () => {
  it('are read as their strings, broken ones as they are', () => {
    expect(argumentText('{"command":"a\\ntrain.py","n":3}').split('\n')).toEqual([
      'command',
      'a',
      'train.py',
      'n',
      '3',
    ]);
    expect(argumentText('{"command": "a\\ntrain.py')).toContain(' train.py');
  });
});
