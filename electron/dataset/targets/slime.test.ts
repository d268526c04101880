import { createHash } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import { RunScript } from '@shared/runs/run-fixtures';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { MemoryReader } from '../../testing/memory-reader';
import { planExport } from '../export-plan';
import type { ExportRequest } from '../export-request';
import { jsonLine } from '../json-line';
import { datasetRows } from '../rows';
import { argumentsAsObject } from './argument-text';
import { slime, slimeRecord } from './slime';
import { slimeParquet } from './slime-parquet';
import { loadTarget, targetFormats } from './table';

const run = '01KRVN00000000000000000001';

function everything(): RunScript {
  const script = new RunScript(run).startSegment();
  for (let step = 0; step < 9; step += 1) {
    const call = { name: 'think', args: { thought: `hm ${step} \ud83d` }, text: `x \ud83d ${step}` };
    script.answer([call], { reasoning: 'r' });
  }
  script.summarise().answer([
    { name: 'a', args: {} },
    { name: 'b', raw: '{broken', invalid: 'Not JSON' },
  ]);
  return script
    .summarise()
    .answer([])
    .answer([{ name: 'z', args: { a: 1 } }]);
}

async function records(
  script: RunScript,
  form: 'string' | 'object' = 'string',
  more: Partial<ExportRequest> = {},
) {
  const reader = new MemoryReader(new Map([[run, script.events]]));
  const plan = await planExport(reader, { undecided: 'train', ...more });
  const found: ReturnType<typeof slimeRecord>[] = [];
  for await (const row of datasetRows(reader, plan, {})) found.push(slimeRecord(row, form));
  return found;
}

describe('slime', () => {
  it.each<['default' | 'apollo', string]>([
    ['default', '9ff1625dd1122c02e969e7c8255107e4f7e4c1e654ad1dd122633f041d1e6575'],
    ['apollo', '505fb79431b67fa9e3fccba840c7ac766bc31e217beb22806b144fce9abe00a8'],
  ])('writes the bytes it always wrote, preset %s', async (preset, sha256) => {
    const lines = (await records(everything(), 'string', { preset })).flatMap(({ value }) => {
      const { kind } = value.metadata as { kind: 'react' | 'summary' };
      const times = preset === 'default' ? 1 : { react: 7, summary: 10 }[kind];
      return Array.from({ length: times }, () => `${jsonLine(value)}\n`);
    });
    expect(createHash('sha256').update(lines.join('')).digest('hex')).toBe(sha256);
  });

  it('finds no problem in what it writes, and says how many messages train', async () => {
    for (const { value, trained } of await records(everything())) {
      expect(slime.problems(JSON.parse(jsonLine(value)))).toEqual([]);
      const messages = value.messages as { step_loss_mask?: number }[];
      expect(trained).toBe(messages.filter(({ step_loss_mask }) => step_loss_mask === 1).length);
    }
  });

  it.each<[string, (row: Row) => void, RegExp]>([
    ['a mask of 0.5', (row) => set(row, 'step_loss_mask', 0.5), /step_loss_mask is neither/],
    ['a mask that is true', (row) => set(row, 'step_loss_mask', true), /step_loss_mask is neither/],
    ['no mask', (row) => set(row, 'step_loss_mask', undefined), /step_loss_mask is neither/],
    ['content that is null', (row) => set(row, 'content', null), /content is not text/],
    ['a field that is null', (row) => set(row, 'reasoning_content', null), /is null/],
    [
      'nothing trained',
      (row) => row.messages.map((each) => delete each.step_loss_mask),
      /no assistant message/,
    ],
    [
      'a mask on a user message',
      (row) => Object.assign(row.messages[1] ?? {}, { step_loss_mask: 1 }),
      /never trains/,
    ],
    ['a role of its own', (row) => set(row, 'role', 'agent'), /role is none/],
    ['no call in the list', (row) => set(row, 'tool_calls', []), /list with calls/],
    [
      'arguments that are a number',
      (row) => set(row, 'tool_calls', [{ function: { name: 'x', arguments: 1 } }]),
      /arguments is neither/,
    ],
    ['tools that are an object', (row) => Object.assign(row, { tools: {} }), /tools is not a list/],
    ['no messages', (row) => Object.assign(row, { messages: [] }), /messages is not a list/],
    ['metadata that is text', (row) => Object.assign(row, { metadata: 'x' }), /metadata is not/],
  ])('finds %s', async (_, spoil, problem) => {
    const [first] = await records(everything());
    const row = JSON.parse(jsonLine(first?.value ?? {})) as Row;
    spoil(row);
    expect(slime.problems(row as unknown as Record<string, unknown>).join('\n')).toMatch(problem);
  });

  it('writes arguments as objects where the template wants them, and refuses what would change', async () => {
    const script = new RunScript(run).startSegment();
    script.answer([{ name: 'a', raw: '{ "x" : [1, null], "y":"9007199254740993" }' }]);
    const [text] = await records(script);
    const [object] = await records(script, 'object');
    expect(JSON.stringify(text?.value)).toContain(
      JSON.stringify('{ "x" : [1, null], "y":"9007199254740993" }'),
    );
    expect(JSON.stringify(object?.value)).toContain('"arguments":{"x":[1,null],"y":"9007199254740993"}');
    expect(slime.problems(object?.value ?? {})).toEqual([]);
    const large = new RunScript(run).startSegment().answer([{ name: 'a', raw: '{"x": 9007199254740993}' }]);
    await expect(records(large, 'object')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('A call of a in segment 1 of run'),
    });
  });
});

interface Row {
  messages: Record<string, unknown>[];
  tools: unknown;
  metadata: unknown;
}

function set({ messages }: Row, field: string, value: unknown): void {
  const found = messages.find(({ role }) => role === 'assistant');
  Object.assign(found ?? {}, { [field]: value });
}

const argumentsObject = (text: string) => {
  const read = argumentsAsObject(text);
  return 'object' in read ? read.object : null;
};

describe('arguments as an object', () => {
  it('are what JSON says, or nothing', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = JSON.parse(text);
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        const object = argumentsObject(text);
        if (!isObject) expect(object).toBeNull();
        else if (object !== null) expect(object).toEqual(value);
      }),
    );
    for (const text of ['{"a":1e999}', '{"a":123456789012345678901}', '{"a":', '[]', 'null', '""'])
      expect(argumentsObject(text)).toBeNull();
    expect(argumentsObject('{"a":"1e999 \\" 9007199254740993","b":1.5,"c":-0}')).not.toBeNull();
  });
});

describe('as Parquet', () => {
  const write = (rows: readonly Readonly<Record<string, unknown>>[]) => {
    const writer = new ByteWriter();
    const parquet = new ParquetWriter({ writer, schema: slimeParquet.schema as never });
    const columnData = slimeParquet.columns.map((name) => ({ name, data: rows.map((row) => row[name]) }));
    parquet.write({ columnData: columnData as never });
    parquet.finish();
    return writer.getBuffer();
  };
  const rowOf = slimeParquet.row ?? ((value) => value);

  it('says what JSON Lines say, with a mask that cannot be null on every message', async () => {
    const written = (await records(everything())).map(({ value }) => JSON.parse(jsonLine(value)));
    const read = await parquetReadObjects({ file: write(written.map(rowOf)) });
    expect(read).toHaveLength(written.length);
    for (const [index, row] of read.entries()) {
      const { messages, tools, metadata } = written[index];
      expect(JSON.parse(row.tools)).toEqual(tools);
      expect(JSON.parse(row.metadata.json)).toEqual(metadata);
      expect(row.metadata).toMatchObject({ source_name: 'waymark', run, segment: metadata.segment });
      const found = row.messages as Record<string, unknown>[];
      expect(found.map(({ step_loss_mask }) => step_loss_mask)).toEqual(
        messages.map(({ step_loss_mask = 0 }: { step_loss_mask?: number }) => step_loss_mask),
      );
      const bare = (message: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries(message).filter(([name, value]) => name !== 'step_loss_mask' && value != null),
        );
      expect(found.map(bare)).toEqual(messages.map(bare));
    }
  });

  it.each([null, undefined, 0.5, '1', true])('cannot hold the mask %j', async (step_loss_mask) => {
    const [first] = await records(everything());
    const row = rowOf(first?.value ?? {}) as { messages: object[] };
    const spoilt = { ...row, messages: row.messages.map((each) => ({ ...each, step_loss_mask })) };
    expect(() => write([spoilt])).toThrow();
  });

  it('refuses images and objects, for which it has no column', () => {
    const metadata = { source_name: 'waymark', kind: 'react', run, segment: 1, task: 't' };
    const parts = [{ type: 'text', text: 'x' }];
    const calls = [{ id: 'c', type: 'function', function: { name: 'a', arguments: {} } }];
    for (const message of [
      { role: 'user', content: parts },
      { role: 'assistant', content: '', tool_calls: calls },
    ]) {
      expect(() => rowOf({ messages: [message], tools: [], metadata })).toThrow(WaymarkError);
    }
  });
});

describe('the table of targets', () => {
  it('loads each under its own name and refuses others', async () => {
    for (const format of targetFormats) expect((await loadTarget(format)).format).toBe(format);
    expect(targetFormats).toContain('slime');
    await expect(loadTarget('nonsense' as 'slime')).rejects.toMatchObject({ code: 'unsupported' });
    await expect(loadTarget('constructor' as 'slime')).rejects.toMatchObject({ code: 'unsupported' });
  });
});
