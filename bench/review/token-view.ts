import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MaskedMessage } from '@shared/context/mask';
import type { TokenRule } from '@shared/contract/export-views';
import type { TokenRow } from '../../electron/dataset/tokens/conversation';
import { TokenThread } from '../../electron/dataset/tokens/token-thread';
import { tokenView } from '../../electron/dataset/tokens/token-view';
import { loadTokenizer } from '../../electron/dataset/tokens/tokenizer';
import { readTokenizerFolder } from '../../electron/dataset/tokens/tokenizer-folder';
import { realTokenizer } from '../../electron/testing/tokens/real-tokenizer';
import { TokenizerAlone } from '../baselines/tokenizer-alone';
import { Material } from '../engine/material';
import { alternate, type Bench, figure, median, ratio, rounds, size, spread } from '../harness';

const template = 'electron/testing/tokens/templates/qwen3.jinja';

/** The token view of one row under Qwen3's tokenizer, against the tokenizer library on the same text. */
export const tokenViewBench: Bench = {
  name: 'token-view',
  about: 'a row of 100k tokens, rendered and masked token by token',
  async run(options) {
    const real = realTokenizer('qwen3');
    if ('missing' in real) throw new Error(`There is no tokenizer to measure with: ${real.missing}.`);
    const folder = join(options.folder, 'Qwen3');
    mkdirSync(folder);
    copyFileSync(real.path, join(folder, 'tokenizer.json'));
    copyFileSync(template, join(folder, 'chat_template.jinja'));
    writeFileSync(join(folder, 'tokenizer_config.json'), '{}');
    const row = conversation(size(options, 187_000, 1_870_000, 20_000));
    const asked = (rule: TokenRule) => ({ rule, argumentsForm: 'auto' as const, format: 'slime' });

    options.say('opens the row in a new thread, and again');
    const cold: number[] = [];
    const again: number[] = [];
    let tokens = 0;
    for (let round = 0; round < rounds; round += 1) {
      const thread = new TokenThread();
      cold.push(await secondsOf(() => thread.view(folder, row, asked('auto'))));
      again.push(
        await secondsOf(async () => {
          tokens = (await thread.view(folder, row, asked('auto'))).ids.length;
        }),
      );
      await thread.close();
    }

    const loaded = loadTokenizer(await readTokenizerFolder(folder), 'bench');
    const alone = new TokenizerAlone(JSON.parse(readFileSync(real.path, 'utf8')) as object);
    const figures = [];
    for (const rule of ['turn', 'slime-qwen3'] as const) {
      const { text } = tokenView(row, loaded, asked(rule));
      alone.rate(text);
      const sides = await alternate(
        () => alone.rate(text),
        () => {
          const start = performance.now();
          const { ids } = tokenView(row, loaded, asked(rule));
          return ids.length / (performance.now() - start);
        },
      );
      const name = rule === 'turn' ? 'token-rate' : 'token-rate-slime';
      figures.push(ratio(name, sides, 'k tokens/s', { is: '≥', value: 0.5 }, `${tokens} tokens`));
    }
    const detail = (times: number[]) => `${tokens} tokens; ${spread(times)} s`;
    return [
      figure('token-view-cold', median(cold), 's', { is: '≤', value: 3 }, { detail: detail(cold) }),
      figure('token-view-again', median(again), 's', { is: '≤', value: 0.8 }, { detail: detail(again) }),
      ...figures,
    ];
  },
};

/** Thoughts, calls and outputs of so many characters, every fourth step masked. */
function conversation(characters: number): TokenRow {
  const material = new Material(7);
  const messages: MaskedMessage[] = [
    { role: 'system', content: material.prose(4_000) },
    { role: 'user', content: material.prose(6_000) },
  ];
  const steps = [0, 0];
  const own = [];
  let left = characters;
  for (let step = 1; left > 0; step += 1) {
    const output = material.log(200 + material.whole(2_500));
    const command = material.command();
    messages.push(
      {
        role: 'assistant',
        tool_calls: [
          {
            id: `c${step}`,
            type: 'function',
            function: { name: 'run_command', arguments: JSON.stringify({ command }) },
          },
        ],
        content: material.prose(150),
        step_loss_mask: step % 4 === 0 ? 0 : 1,
      },
      { role: 'tool', tool_call_id: `c${step}`, content: output },
    );
    steps.push(step, step);
    own.push({ step, source: 'human', reason: null });
    left -= output.length + command.length + 150;
  }
  const parameters = { type: 'object', properties: { command: { type: 'string' } } };
  return {
    view: {
      run: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      segment: 1,
      kind: 'react',
      index: 0,
      title: 'Bench',
      tokens: 0,
      trained: 0,
      masked: 0,
      split: 'train',
      firstStep: 1,
      lastStep: own.length,
    },
    of: 1,
    messages,
    steps,
    own,
    tools: [
      { type: 'function', function: { name: 'run_command', description: 'Runs a command.', parameters } },
    ],
  };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
