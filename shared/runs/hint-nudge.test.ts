import { expect, test } from 'vitest';
import { LITERAL_CHARACTERS, nudge } from './hint-nudge';

test.each([
  ['Look into /data/projects/sft/dataset_info.json.', 'path', '/data/projects/sft/dataset_info.json'],
  ['It is in ~/work/LLaMA-Factory/data, is it not?', 'path', '~/work/LLaMA-Factory/data'],
  ['Change ../configs/train/lora.yaml', 'path', '../configs/train/lora.yaml'],
  ['see examples/train_lora/qwen_sft.yaml', 'path', 'examples/train_lora/qwen_sft.yaml'],
  ['Edit `/data/projects/sft/dataset_info.json`', 'path', '/data/projects/sft/dataset_info.json'],
  ['Run `python train.py --lr 1e-5 --epochs 3` now', 'command', 'python train.py --lr 1e-5 --epochs 3'],
  ['Do this:\n$ torchrun --nproc 8 train.py', 'command', '$ torchrun --nproc 8 train.py'],
  ['CUDA_VISIBLE_DEVICES=0 python3 eval.py -v', 'command', 'CUDA_VISIBLE_DEVICES=0 python3 eval.py -v'],
  ['```sh\nfor f in *.json; do\n  jq . $f\ndone\n```', 'command', 'for f in *.json; do'],
] as const)('%s', (text, kind, found) => {
  expect(nudge(text)).toEqual({ kind, found });
});

test.each([
  '',
  'Read the readme of the framework first; it says how data sets are registered.',
  'Check dataset_info.json against src/data.py.',
  'Use and/or logic: train/validation/test splits are 8/1/1.',
  'See https://example.org/docs/very/long/path/to/page.html for the format.',
  'Run `ls -l data` once.',
  'Shuffle `the_training_examples_of_every_epoch` please',
  'Git is your friend here. Python is slow at this, so use the tool.',
  'Find out why the loss stays flat.\n> It says so in the log.',
])('no nudge: %s', (text) => {
  expect(nudge(text)).toBeNull();
});

test('the limit is exclusive, and a hostile text costs no time', () => {
  const path = `/ab/${'c'.repeat(LITERAL_CHARACTERS - 4)}`;
  expect(path).toHaveLength(LITERAL_CHARACTERS);
  expect(nudge(path)).toBeNull();
  expect(nudge(`${path}d`)).toEqual({ kind: 'path', found: `${path}d` });
  for (const piece of ['/a', 'a/', 'A=1 ', '`', 'sudo ', '``` \n', '../'])
    nudge(piece.repeat(200_000 / piece.length));
});
