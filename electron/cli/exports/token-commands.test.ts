import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenView } from '@shared/contract/export-views';
import { expect, inject, test } from 'vitest';
import type { Store } from '../../store/api';
import { createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { templateText, tinyTokenizer } from '../../testing/tokens/tiny-tokenizer';
import { parseArguments } from '../arguments';
import type { CliContext } from '../context';
import { tokensCommand } from './token-commands';

function modelFolder(): string {
  const folder = join(temporaryFolder(), 'Model');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tinyTokenizer(['<\uff5cAssistant\uff5c>'])));
  writeFileSync(join(folder, 'tokenizer_config.json'), '{"bos_token": "<|begin_of_text|>"}');
  writeFileSync(join(folder, 'chat_template.jinja'), templateText('llama-3'));
  return folder;
}

async function aRun(store: Store): Promise<string> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'one.txt', { exitCode: 0 });
  return writer.run;
}

const waymark = (store: Store, words: string[]) =>
  tokensCommand(
    { reader: store.reader, store } as unknown as CliContext,
    parseArguments(['export', 'tokens', ...words]),
    inject('storeWorkers'),
  );

test('shows a row, what is trained of it, and what the template leaves out', async () => {
  const store = testStore();
  const run = await aRun(store);
  const words = ['--tokenizer', modelFolder(), '--run', run, '--segment', '1', '--undecided', 'train'];
  const { json, lines } = await waymark(store, words);
  const view = json as TokenView;
  expect(view).toMatchObject({ rule: 'turn', argumentsForm: 'string', row: { run, segment: 1 } });
  expect(view.ids).toHaveLength(view.losses.length);
  expect(lines[0]).toBe(
    `${view.ids.length} tokens, ${view.trainedTokens} trained, 0 masked, by the rule turn, arguments as string.`,
  );
  expect(lines.join('\n')).toMatch(/step 1: trained, \d+ of \d+ tokens trained/);
  expect(lines.join('\n')).toMatch(/the template leaves out its call run_command: \{"command"/);
});

test('says what is missing or wrong', async () => {
  const store = testStore();
  const run = await aRun(store);
  const folder = modelFolder();
  const refused = async (words: string[], message: RegExp) =>
    expect(waymark(store, words)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  await refused(['--run', run, '--segment', '1'], /--tokenizer is missing/);
  await refused(['--tokenizer', folder, '--segment', '1'], /--run is missing/);
  await refused(['--tokenizer', folder, '--run', run], /--segment is missing/);
  await refused(['--tokenizer', folder, '--run', run, '--segment', '0'], /--segment is "0"/);
  await refused(['--tokenizer', folder, '--run', run, '--segment', '9'], /no row of segment 9/);
  await refused(
    ['--tokenizer', folder, '--run', run, '--segment', '1', '--kind', 'both'],
    /--kind is "both"/,
  );
  const trained = ['--run', run, '--segment', '1', '--undecided', 'train'];
  await refused([...trained, '--tokenizer', folder, '--rule', 'none'], /--rule is "none"/);
  await refused([...trained, '--tokenizer', temporaryFolder()], /There is no file .*tokenizer.json/);
});
