import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MaskedMessage } from '@shared/context/mask';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chatTargets,
  factsOf,
  type Loaded,
  load,
  makeRecords,
  type TargetCase,
} from '../../testing/chat-target-rig';
import { type NastyRows, nastyRows } from '../../testing/nasty-rows';
import type { DatasetRow } from '../rows';

const python = spawnSync('python3', ['--version']).status === 0;

let nasty: NastyRows;
let folder = '';
beforeAll(async () => {
  nasty = await nastyRows();
  folder = await mkdtemp(join(tmpdir(), 'waymark-targets-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const whole = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** What a row trains, as the loaders are to see it. */
function answersOf(
  messages: readonly MaskedMessage[],
  { thinks }: Pick<TargetCase, 'thinks'>,
): Loaded['trained'][number] {
  return messages.flatMap((message) => {
    if (!('step_loss_mask' in message) || message.step_loss_mask !== 1) return [];
    const { content, reasoning_content: reasoning = '', tool_calls: calls = [] } = message;
    const seams = thinks && reasoning !== '';
    return [
      {
        text: whole(seams ? content.replace(/^\n+/, '') : content),
        reasoning: whole(seams ? reasoning.replace(/^\n+|\n+$/g, '') : reasoning),
        calls: calls.map(({ function: { name, arguments: text } }): [string, unknown] => [
          name,
          JSON.parse(text) as unknown,
        ]),
      },
    ];
  });
}

/** What of the row a loader takes: everything, nothing, or what comes before the first message that it does not take. */
function keptPart(row: DatasetRow, { images, brokenArguments }: TargetCase): readonly MaskedMessage[] {
  const first = (stops: (message: MaskedMessage) => boolean, how: TargetCase['images']) => {
    const at = how === 'keep' ? -1 : row.messages.findIndex(stops);
    return at < 0 ? row.messages.length : how === 'row' ? 0 : at;
  };
  const shows = ({ role, content }: MaskedMessage) => role === 'user' && typeof content !== 'string';
  const breaks = (message: MaskedMessage) =>
    message.role === 'assistant' &&
    (message.tool_calls ?? []).some((call) => !call.function.arguments.trim().startsWith('{'));
  return row.messages.slice(0, Math.min(first(shows, images), first(breaks, brokenArguments)));
}

describe.each(chatTargets)('$target.format', (each) => {
  const { target, expands } = each;

  it('writes the golden records', async () => {
    const { records, dropped } = await makeRecords(target, nasty, nasty.rows);
    const lines = records
      .flat()
      .map(({ value, trained, ...rest }) => JSON.stringify({ trained, ...rest, value }));
    await expect(`${[...lines, JSON.stringify({ dropped })].join('\n')}\n`).toMatchFileSnapshot(
      `golden/${target.format}.jsonl`,
    );
  });

  it('finds nothing wrong with its own records, and the same row makes the same', async () => {
    const { records } = await makeRecords(target, nasty, nasty.rows);
    for (const { value } of records.flat()) expect(target.problems(value)).toEqual([]);
    const again = await makeRecords(target, nasty, [...nasty.rows].reverse());
    expect([...again.records].reverse()).toEqual(records);
  });

  it.skipIf(!python)('is loaded as the masks say (needs python3)', async () => {
    const made = await makeRecords(target, nasty, nasty.rows);
    const records = made.records.flat();
    const named = target.encodings[0] === 'documents';
    const order = named ? [...records].sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)) : records;
    const loaded = load(each, join(folder, target.format), {
      facts: factsOf(target, nasty, made),
      records: order,
    });
    expect(loaded.problems).toEqual([]);
    const expected = nasty.rows.flatMap((row) => {
      const answers = answersOf(keptPart(row, each), each);
      return expands ? answers.map((answer) => [answer]) : answers.length === 0 ? [] : [answers];
    });
    expect(order.map(({ trained }) => trained)).toEqual(loaded.trained.map(({ length }) => length));
    if (named) expect(loaded.trained).toHaveLength(expected.length);
    else expect(loaded.trained).toEqual(expected);
    expect(
      loaded.trained
        .flat()
        .map((answer) => JSON.stringify(answer))
        .sort(),
    ).toEqual(
      expected
        .flat()
        .map((answer) => JSON.stringify(answer))
        .sort(),
    );
  });

  it('counts every row or step that it leaves out', async () => {
    const { records, dropped } = await makeRecords(target, nasty, nasty.rows);
    const left = dropped.reduce((sum, { count }) => sum + count, 0);
    const trained = nasty.rows.flatMap((row) => answersOf(row.messages, each)).length;
    expect(records.flat().length + left).toBe(expands ? trained : nasty.rows.length);
  });
});
