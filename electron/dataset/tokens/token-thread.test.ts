import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { temporaryFolder } from '../../testing/store-fixtures';
import { templateText, tinyTokenizer } from '../../testing/tokens/tiny-tokenizer';
import { loadedTemplate, rowOf, someTools } from '../../testing/tokens/token-rows';
import type { TokenOptions } from './conversation';
import { templateWants } from './template-wants';
import { type TokenLimits, TokenThread, tokenLimits } from './token-thread';
import { tokenView } from './token-view';

const turn = { content: 'Done.', reasoning: '', calls: [], mask: 1 as const, results: [], asked: '' };
const row = rowOf({ system: 'Be brief.', user: 'Begin.', turns: [turn], tools: someTools });
const options: TokenOptions = { rule: 'auto', argumentsForm: 'auto', format: 'axolotl' };

const threads: TokenThread[] = [];
afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.close())));

function thread(limits: Partial<TokenLimits> = {}): TokenThread {
  const made = new TokenThread({ ...tokenLimits, ...limits }, inject('storeWorkers'));
  threads.push(made);
  return made;
}

function folderWith(
  template: string,
  tokenizer: unknown = tinyTokenizer(['<\uff5cAssistant\uff5c>']),
): string {
  const folder = join(temporaryFolder(), 'Model');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), '{"bos_token": "<s>", "eos_token": "<|im_end|>"}');
  writeFileSync(join(folder, 'chat_template.jinja'), template);
  return folder;
}

it('says what this thread would', async () => {
  const folder = folderWith(templateText('qwen3'));
  const apart = thread();
  const { id, ...view } = await apart.tokenizer(folder);
  const here = loadedTemplate('qwen3');
  expect(view).toEqual({ ...here.view, id: undefined, folder, name: 'Model' });
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await apart.view(folder, row, options)).toEqual(tokenView(row, here, options));
});

it('reads a folder again when one of its files has changed', async () => {
  const folder = folderWith(templateText('qwen3'));
  const apart = thread();
  expect(await apart.tokenizer(folder)).toMatchObject({ family: 'qwen3' });
  const file = join(folder, 'chat_template.jinja');
  writeFileSync(file, templateText('llama-3'));
  utimesSync(file, 1, 1);
  expect(await apart.tokenizer(folder)).toMatchObject({ family: 'llama-3' });
  renameSync(join(folder, 'tokenizer.json'), join(folder, 'elsewhere.json'));
  await expect(apart.tokenizer(folder)).rejects.toMatchObject({ code: 'not_found' });
});

it('refuses a folder that is gone, and one without a tokenizer, and answers the next question', async () => {
  const apart = thread();
  await expect(apart.tokenizer('/nowhere/at/all')).rejects.toMatchObject({ code: 'not_found' });
  await expect(apart.tokenizer(temporaryFolder())).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('tokenizer.json'),
  });
  await expect(apart.tokenizer(folderWith('{% if %}'))).rejects.toMatchObject({ code: 'bad_input' });
  expect(await apart.tokenizer(folderWith('x'))).toMatchObject({ family: 'unknown' });
});

describe('a template from elsewhere', () => {
  const probed = "{% if messages|length > 4 or messages[0].role == 'system' %}";
  const endless = `${probed}{% for a in range(100000) %}{% for b in range(100000) %}{% set c = a %}{% endfor %}{% endfor %}{% endif %}`;

  it('that does not end is ended, and the next row is shown', async () => {
    const apart = thread({ viewMs: 1_500 });
    await expect(apart.view(folderWith(endless), row, options)).rejects.toMatchObject({
      code: 'timed_out',
      message: expect.stringContaining('rendering was stopped'),
    });
    expect(await apart.view(folderWith(templateText('qwen2.5')), row, options)).toMatchObject({
      rule: 'turn',
    });
  });

  it('that does not even end when it is probed is ended while the folder is read', async () => {
    const apart = thread({ loadMs: 3_000 });
    const folder = folderWith(endless.replace(probed, '{% if true %}'));
    await expect(apart.tokenizer(folder)).rejects.toMatchObject({
      code: 'timed_out',
      message: expect.stringContaining('took too long to read'),
    });
  });

  it('that takes memory without end is ended, and this process lives on', { timeout: 120_000 }, async () => {
    const apart = thread({ memoryMb: 96 });
    const hoarder = `${probed}{% set ns = namespace(all=[]) %}{% for a in range(100000) %}{% set ns.all = ns.all + [range(1000)] %}{% endfor %}{% endif %}`;
    await expect(apart.view(folderWith(hoarder), row, options)).rejects.toMatchObject({ code: 'refused' });
    expect(await apart.view(folderWith(templateText('qwen2.5')), row, options)).toMatchObject({
      rule: 'turn',
    });
  });

  it('that doubles a text for ever is refused with the reason', { timeout: 120_000 }, async () => {
    const doubling = `${probed}{% set ns = namespace(text='x') %}{% for a in range(60) %}{% set ns.text = ns.text + ns.text %}{% endfor %}{{ ns.text }}{% endif %}`;
    await expect(thread().view(folderWith(doubling), row, options)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('its text grows without end'),
    });
  });
});

it('who aborts ends what is under way', async () => {
  const apart = thread();
  const controller = new AbortController();
  const folder = folderWith(
    '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
  );
  const asked = apart.tokenizer(folder, controller.signal);
  setImmediate(() => controller.abort(new Error('no longer wanted')));
  await expect(asked).rejects.toThrow('no longer wanted');
  expect(await apart.tokenizer(folderWith('x'))).toMatchObject({ family: 'unknown' });
});

it('tells an export which form of arguments to write', async () => {
  const wants = (name: string) => templateWants(folderWith(templateText(name)), inject('storeWorkers'));
  expect([await wants('qwen3.5'), await wants('deepseek-v3'), await wants('qwen3')]).toEqual([
    ...['object', 'string', 'string'],
  ]);
  await expect(templateWants(temporaryFolder(), inject('storeWorkers'))).rejects.toThrow(
    /There is no file .* Or choose the form with --arguments/,
  );
});
