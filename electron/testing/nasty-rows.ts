import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { Tool } from '@shared/log/event-parts';
import type { EventBody } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { planExport } from '../dataset/export-plan';
import type { ExportPlan } from '../dataset/plan';
import { type DatasetRow, datasetRows } from '../dataset/rows';
import { imagePart, pngFile } from './images';
import { MemoryReader } from './memory-reader';

const runOf = (digit: number) => `01KNASTY00000000000000000${digit}`;

const model = (more: Partial<EventBody<'run.created'>['model']> = {}): EventBody<'run.created'>['model'] => ({
  endpoint: 'test',
  baseUrl: 'http://127.0.0.1:1/v1',
  model: 'test-model',
  keyRef: null,
  params: {},
  contextTokens: 100_000,
  sendReasoning: false,
  ...more,
});

/** Schemas that differ, with names and types that a column of structs would mix. */
const tools: Tool[] = [
  {
    type: 'function',
    function: {
      name: 'run_command',
      description: 'Runs a command. 运行命令。',
      parameters: {
        type: 'object',
        properties: { command: { type: 'string' }, timeout: { type: 'number', default: 1.5 } },
        required: ['command'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'think',
      description: 'Thinks.',
      parameters: { type: 'object', properties: { thought: { type: 'string', enum: ['a', 'b'] } } },
    },
  },
];

/** Hints, parallel calls, an answer without a call, tags in arguments and results, half a character, a summary, carried steps. */
function longRun(): { script: RunScript; masked: number[] } {
  const script = new RunScript(runOf(1), {
    task: { id: 'tune_it', title: 'Tune', domain: 'data', hash: 'a'.repeat(64) },
  }).startSegment();
  script.answer([
    {
      name: 'run_command',
      raw: '{ "command" : "echo \'<tool_call>x</tool_call>\' > a.txt", "timeout": 1.50 }',
    },
  ]);
  script.answer(
    [
      { name: 'run_command', args: { command: 'cat 你好.txt' }, text: 'Half: \ud83d here' },
      { name: 'think', args: { thought: 'a' }, text: '<think>not mine</think>' },
    ],
    { text: '' },
  );
  script.add('hint.delivered', { step: 2, hints: [], text: '\n\n<real_user>Look again.</real_user>' });
  script.answer([{ name: 'run_command', raw: '{broken', invalid: 'Not JSON' }], { text: 'Trying “this”.\n' });
  script.add('hint.delivered', { step: 3, hints: [], text: '\n\n<real_user>Call a tool.</real_user>' });
  script.answer([{ name: 'run_command', args: { command: 'false' }, ok: false, text: '' }]);
  script.summarise();
  script.answer([{ name: 'think', raw: '{"thought":"\\ud83d\\ude00 b"}' }]);
  script.answer([{ name: 'run_command', args: { command: 'true' } }], { text: 'Done: {"a": 1}\u2028 🦆' });
  return { script, masked: [4] };
}

/** Reasoning that was sent, and a command in two forms of numbers. */
function thinkingRun(): { script: RunScript; masked: number[] } {
  const script = new RunScript(runOf(2), { model: model({ sendReasoning: true }) }).startSegment();
  script.answer([{ name: 'think', args: { thought: 'a' } }], { reasoning: '\nBecause 你好.\n' });
  script.answer([{ name: 'run_command', args: { command: 'ls' } }], {
    reasoning: 'Second.',
    text: '\n\nNext.',
  });
  script.answer([{ name: 'run_command', args: { command: 'pwd' } }]);
  return { script, masked: [2] };
}

/** Images after a result. */
function seeingRun(): { script: RunScript; masked: number[] } {
  const script = new RunScript(runOf(3), { model: model({ images: true }) }).startSegment();
  script.answer([{ name: 'think', args: { thought: 'a' } }]);
  script.answer([{ name: 'run_command', args: { command: 'plot' } }]);
  const seen = script.events.at(-1);
  if (seen?.kind === 'action.observed') seen.body.images = [imagePart('plot.png', pngFile(2, 2))];
  script.answer([{ name: 'think', args: { thought: 'b' } }]);
  return { script, masked: [1] };
}

/** No tools, no system prompt but the task's, no call. */
function talkingRun(): { script: RunScript; masked: number[] } {
  const script = new RunScript(runOf(4)).startSegment();
  const opened = script.events.at(-1);
  if (opened?.kind === 'segment.started') opened.body.tools = [];
  script.answer([], { text: 'I would say <b>42</b>.' });
  script.add('hint.delivered', { step: 1, hints: [], text: '\n\n<real_user>Why?</real_user>' });
  script.answer([], { text: 'Because.' });
  return { script, masked: [] };
}

/** A call whose arguments are no JSON, between answers that are sound. */
function brokenRun(): { script: RunScript; masked: number[] } {
  const script = new RunScript(runOf(5)).startSegment();
  script.answer([{ name: 'think', args: { thought: 'a' } }]);
  script.answer([{ name: 'run_command', raw: '["not an object"]' }]);
  script.answer([{ name: 'think', args: { thought: 'b' } }]);
  return { script, masked: [] };
}

export interface NastyRows {
  plan: ExportPlan;
  reader: MemoryReader;
  rows: DatasetRow[];
}

/**
 * A small set of rows that holds whatever a loader stumbles over: hints, parallel calls, answers without a call, a summary, carried
 * steps, reasoning, images, no tools, half characters, tags of templates in texts and arguments, arguments that are no object.
 */
export async function nastyRows(request: Partial<Parameters<typeof planExport>[1]> = {}): Promise<NastyRows> {
  const made = [longRun(), thinkingRun(), seeingRun(), talkingRun(), brokenRun()];
  for (const { script } of made) {
    for (const event of script.events) {
      if (event.kind === 'segment.started' && event.body.tools.length > 0) event.body.tools = tools;
      // As the loop records it: the summariser's prompt, then the task.
      if (event.kind === 'summary.started') event.body.head.push({ role: 'user', content: 'Do the task.' });
    }
  }
  const entries = made.flatMap(({ script, masked }) => {
    const ada = new EntryMaker('Ada', 'office', script.run);
    return [
      ...Array.from({ length: script.step }, (_, at) => at + 1)
        .filter((step) => !masked.includes(step))
        .map((step) => ada.label(step, 'train', [], step === 1 ? 'sound \ud83d' : null)),
      ...masked.map((step) => ada.label(step, 'mask', [], 'guessed')),
    ];
  });
  const reader = new MemoryReader(new Map(made.map(({ script }) => [script.run, script.events])), entries);
  const plan = await planExport(reader, {
    format: 'slime',
    undecided: 'train',
    noTools: 'allow',
    ...request,
  });
  const rows: DatasetRow[] = [];
  for await (const row of datasetRows(reader, plan, {})) rows.push(row);
  return { plan, reader, rows };
}
