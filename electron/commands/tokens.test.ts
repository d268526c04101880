import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandInput } from '@shared/contract/ipc';
import { tokensSchema } from '@shared/contract/ipc/tokens';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { RememberedTokenizer } from '../dataset/tokens/remembered-tokenizer';
import { TokenThread, tokenLimits } from '../dataset/tokens/token-thread';
import type { Store } from '../store/api';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { templateText, tinyTokenizer } from '../testing/tokens/tiny-tokenizer';
import type { Workbench } from '../workbench';
import { WorkbenchHolder } from '../workbench';
import { labelHandlers } from './labels';
import { tokenHandlers } from './tokens';

const threads: TokenThread[] = [];
afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.close())));

function modelFolder(template: string): string {
  const folder = join(temporaryFolder(), 'Model');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tinyTokenizer(['<\uff5cAssistant\uff5c>'])));
  writeFileSync(join(folder, 'chat_template.jinja'), templateText(template));
  return folder;
}

async function stand(store: Store, chosen: () => string | null) {
  const bench = { folder: store.folder, store } as Partial<Workbench> as Workbench;
  const holder = new WorkbenchHolder(() => Promise.resolve(bench));
  await holder.open(store.folder);
  const thread = new TokenThread(tokenLimits, inject('storeWorkers'));
  threads.push(thread);
  const data = temporaryFolder();
  const handlers = tokenHandlers({
    holder,
    thread,
    remembered: new RememberedTokenizer(data),
    author: () => alice,
    choose: () => Promise.resolve(chosen()),
  });
  const tokens = (input: CommandInput<'export.tokens'>) =>
    handlers['export.tokens'](tokensSchema.parse(input));
  return { holder, handlers, tokens, data };
}

async function aRun(store: Store): Promise<string> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'one.txt', { exitCode: 0 });
  await writer.command('cat one.txt', 'One.', { exitCode: 0 });
  await writer.record([
    { kind: 'run.status', body: { status: 'finished', reason: 'agent_finished', message: 'Done' } },
  ]);
  return writer.run;
}

describe('the tokenizer of a window', () => {
  test('is none until one is chosen, and is remembered, for this user alone', async () => {
    const folder = modelFolder('qwen3');
    const { handlers, data } = await stand(testStore(), () => folder);
    expect(await handlers['export.tokenizer'](undefined)).toBeNull();
    const view = await handlers['export.chooseTokenizer'](undefined);
    expect(view).toMatchObject({ folder, name: 'Model', family: 'qwen3', argumentsForm: 'either' });
    expect(await handlers['export.tokenizer'](undefined)).toEqual(view);
    const file = join(data, 'tokenizer-folder.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ folder });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, '{"folder": 7');
    expect(await handlers['export.tokenizer'](undefined)).toBeNull();
  });

  test('stays what it was when the dialog is cancelled, or what was chosen is refused', async () => {
    const good = modelFolder('qwen3');
    let chosen: string | null = good;
    const { handlers } = await stand(testStore(), () => chosen);
    const view = await handlers['export.chooseTokenizer'](undefined);
    chosen = null;
    expect(await handlers['export.chooseTokenizer'](undefined)).toBeNull();
    chosen = temporaryFolder();
    await expect(handlers['export.chooseTokenizer'](undefined)).rejects.toMatchObject({ code: 'not_found' });
    expect(await handlers['export.tokenizer'](undefined)).toEqual(view);
  });
});

describe('tokens of a row', () => {
  test('follow events and labels, with the step of each message', async () => {
    const store = testStore();
    const run = await aRun(store);
    const { holder, handlers, tokens } = await stand(store, () => modelFolder('qwen3'));
    const options = { undecided: 'train' as const };
    await expect(tokens({ options, row: { index: 0 } })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('No tokenizer was chosen yet'),
    });
    await handlers['export.chooseTokenizer'](undefined);
    const before = await tokens({ options, row: { run, segment: 1 } });
    expect(before).toMatchObject({
      rule: 'slime-qwen3',
      of: 1,
      row: { run, segment: 1, kind: 'react', index: 0 },
    });
    const spoken = before.messages.filter(({ role }) => role === 'assistant');
    expect(spoken.map(({ step, loss }) => [step, loss])).toEqual([
      [1, 'trained'],
      [2, 'trained'],
    ]);
    const label = labelHandlers(holder, () => alice)['labels.apply'];
    await label({ run, from: 2, to: 2, value: 'mask', reason: 'no' });
    await store.drain();
    const after = await tokens({ options, row: { index: 0 } });
    const second = after.messages.findLast(({ role }) => role === 'assistant');
    expect(second).toMatchObject({ step: 2, loss: 'masked', source: 'human', trainedTokens: 0 });
    expect([after.text, after.ids]).toEqual([before.text, before.ids]);
    expect(after.maskedTokens).toBeGreaterThan(0);
    const unmasked = await tokens({ options, variant: 'unmasked', row: { index: 0 } });
    expect(unmasked.losses).toBe(before.losses);
  });

  test('of a row that is not there are refused with what there is', async () => {
    const store = testStore();
    const run = await aRun(store);
    const { handlers, tokens } = await stand(store, () => modelFolder('qwen3'));
    await handlers['export.chooseTokenizer'](undefined);
    const options = { undecided: 'train' as const };
    await expect(tokens({ options, row: { index: 5 } })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no row 6: the export has 1.'),
    });
    await expect(tokens({ options, row: { run, segment: 1, kind: 'summary' } })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('no summary row of segment 1'),
    });
  });

  test('that a person decides blind are not shown before', async () => {
    const store = testStore();
    await aRun(store);
    const asked: unknown[] = [];
    const withheld: Store['reader']['withheld'] = async (_run, person, from, to) => {
      asked.push([person, from, to]);
      return { steps: [{ from: 2, to: 9 }], hidden: [], rules: [] };
    };
    const reader = Object.create(store.reader, { withheld: { value: withheld } });
    const blind = Object.create(store, { reader: { value: reader } });
    const { handlers, tokens } = await stand(blind, () => modelFolder('qwen3'));
    await handlers['export.chooseTokenizer'](undefined);
    await expect(tokens({ options: { undecided: 'train' }, row: { index: 0 } })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('decide step 2 of this row'),
    });
    expect(asked).toEqual([[alice, 1, 2]]);
  });

  test('a window that asks for many at a time is told to wait', async () => {
    const store = testStore();
    await aRun(store);
    const { handlers, tokens } = await stand(store, () => modelFolder('qwen3'));
    await handlers['export.chooseTokenizer'](undefined);
    const asked = Array.from({ length: 30 }, () =>
      tokens({ options: { undecided: 'train' }, row: { index: 0 } }),
    );
    const settled = await Promise.allSettled(asked);
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(['system_busy']));
    expect(settled.length - refused.length).toBe(8);
  });
});
