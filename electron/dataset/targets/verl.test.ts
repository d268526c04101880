import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry } from '@shared/log/annotations';
import { RunScript } from '@shared/runs/run-fixtures';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRecords } from '../../testing/check-records';
import { parquetOf, parquetRows } from '../../testing/parquet-readers';
import { plannedRows, recordsOf, runName, scored } from '../../testing/planned-rows';
import { temporaryFolder } from '../../testing/store-fixtures';
import { answerText } from './plain-message';
import type { Target } from './target';
import { verlRl } from './verl-rl';
import { verlSft } from './verl-sft';

interface SftRow {
  messages: { role: string; content: string; loss_mask: number }[];
  conversation: SftRow['messages'];
  enable_thinking: boolean;
  run: string;
  tool_schemas: string;
}

const run = runName(1);
const ls = { name: 'run_command', args: { command: 'ls' } };
const facts = { files: [], argumentsForm: 'string', compression: 'none', dropped: [] } as const;

async function written(target: Target, scripts: RunScript[], entries: AnnotationEntry[] = []) {
  const planned = await plannedRows(scripts, entries);
  const made = await recordsOf(target, planned);
  expect(made.problems).toEqual([]);
  const values = made.records.map(({ value }) => value);
  if (target.parquet === undefined) throw new Error('There is no layout');
  const { script, rust } = await parquetRows(parquetOf(target.parquet, values));
  expect(script).toEqual(values);
  expect(rust).toEqual(values);
  return { ...made, rows: script };
}

/** What the dataset class that is written beside the data trains, run on a stand-in for verl's. */
function withClass(rows: unknown[]) {
  const file = join(temporaryFolder(), 'waymark_verl.py');
  const [extra] = verlSft.extras?.({ ...facts, plan: {} as never }) ?? [];
  writeFileSync(file, extra?.text ?? '');
  return checkRecords('verl-sft', rows, { words: [file] });
}

describe('verl SFT', () => {
  it('writes a row for each trained answer, in which it is the only answer', async () => {
    const script = new RunScript(run).startSegment().answer([ls]).answer([ls]).answer([ls, ls]);
    const { rows, records } = await written(
      verlSft,
      [script],
      [new EntryMaker('Ada', 'a', run).label(2, 'mask')],
    );
    const [first, second] = rows as SftRow[];
    expect(rows).toHaveLength(2);
    expect(records.map(({ trained }) => trained)).toEqual([1, 1]);
    expect(first?.messages.map(({ role, loss_mask }) => `${role} ${loss_mask}`)).toEqual([
      ...['system 0', 'user 0', 'assistant 1'],
    ]);
    expect(first?.messages[0]?.content).toContain('"name":"run_command"');
    expect(first?.conversation).toEqual([]);
    expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(second?.messages[1]?.content).toMatch(
      /^Do the task\.[\s\S]*Agent:\nThought 1[\s\S]*Observation 2\.0$/,
    );
    expect(second?.messages[2]?.content.match(/<tool_call>/g)).toHaveLength(2);
    // Observations of parallel calls are one message.
    expect(second?.conversation.map(({ role, loss_mask }) => `${role} ${loss_mask}`)).toEqual([
      ...['system 0', 'user 0', 'assistant 1', 'tool 0', 'assistant 0', 'tool 0', 'assistant 1', 'tool 0'],
    ]);
    const stock = checkRecords('verl-sft', rows);
    expect(stock).toMatchObject({ rows: 2, problems: [] });
    expect(stock.trained).toEqual(withClass(rows).trained);
  });

  it('says which rows think', async () => {
    const script = new RunScript(run, {
      model: { ...modelOf(), sendReasoning: true },
    })
      .startSegment()
      .answer([ls], { reasoning: 'Hm.' })
      .answer([ls]);
    const { rows } = await written(verlSft, [script]);
    expect((rows as SftRow[]).map(({ enable_thinking }) => enable_thinking)).toEqual([true, false]);
    expect((rows as SftRow[])[0]?.messages.at(-1)?.content).toMatch(/^<think>\nHm\.\n<\/think>\n\nThought 1/);
  });

  it('trains each unmasked answer exactly once, by its own class and by ours, whatever is masked', async () => {
    const world = fc.record({
      segments: fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      masked: fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 8 }),
      paper: fc.boolean(),
    });
    const all: unknown[] = [];
    const expected: string[][] = [];
    for (const [index, { segments, masked, paper }] of fc.sample(world, { numRuns: 40, seed: 5 }).entries()) {
      const name = runName(index + 1);
      const script = new RunScript(name).startSegment();
      for (const [at, steps] of segments.entries()) {
        if (at > 0) script.summarise();
        for (const calls of steps) {
          script.answer(
            Array.from({ length: calls }, (_, call) => ({ ...ls, args: { command: `c${call}` } })),
          );
        }
      }
      const entries = masked.map((step) => new EntryMaker('Ada', `a${step}`, name).label(step, 'mask'));
      const planned = await plannedRows([script], entries, { carried: paper ? 'paper' : 'once' });
      const { records, problems } = await recordsOf(verlSft, planned);
      expect(problems).toEqual([]);
      all.push(...records.map(({ value }) => value));
      for (const message of planned.rows.flatMap(({ messages }) => messages)) {
        const trains = 'step_loss_mask' in message && message.step_loss_mask === 1;
        if (message.role === 'assistant' && trains) expected.push([name, answerText(message)]);
      }
    }
    expect(expected.length).toBeGreaterThan(100);
    const stock = checkRecords('verl-sft', all);
    expect([stock.problems, stock.trained]).toEqual([[], expected]);
    const own = withClass(all);
    expect([own.problems, own.trained]).toEqual([[], expected]);
  }, 60_000);
});

describe('verl prompts', () => {
  it('are what runs were first asked with, each once, and name the task', async () => {
    const of = (number: number, task: string) =>
      scored(
        new RunScript(runName(number), {
          task: { id: task, title: task, domain: task === 'b' ? 'code' : null, hash: task.repeat(64) },
          spec: { evaluation: { success_at: 55 } },
        })
          .startSegment()
          .answer([ls]),
        10,
      );
    const longer = of(3, 'a').answer([ls]).summarise().answer([ls]);
    const { rows, dropped } = await written(verlRl, [of(1, 'a'), of(2, 'b'), longer]);
    expect(rows).toMatchObject([
      {
        data_source: 'waymark/a',
        ability: 'agent',
        prompt: [
          { role: 'system', content: 'You are an agent.' },
          { role: 'user', content: 'Do the task.' },
        ],
        reward_model: {
          style: 'rule',
          ground_truth: JSON.stringify({ task: 'a', task_hash: 'a'.repeat(64), success_at: 55 }),
        },
        extra_info: { index: 0, split: 'train', run: runName(1) },
      },
      { data_source: 'waymark/b', ability: 'code', extra_info: { index: 1 } },
    ]);
    expect(dropped).toEqual([
      { why: 'A segment that does not begin with the task alone', count: 1 },
      { why: 'A prompt that is there already, of another run of the task', count: 1 },
    ]);
    expect(checkRecords('verl-rl', rows)).toEqual({ rows: 2, problems: [] });
  });
});

function modelOf() {
  const [created] = new RunScript(run).events;
  if (created?.kind !== 'run.created') throw new Error('A run begins with its creation');
  return created.body.model;
}
