import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRecords } from '../../testing/chat-target-rig';
import { nastyRows } from '../../testing/nasty-rows';
import { trainingTemplate } from './training-template';
import { trlTarget } from './trl';

const jinja = spawnSync('python3', ['-c', 'import jinja2']).status === 0;
const script = join(import.meta.dirname, '..', '..', 'testing', 'loaders', 'trl-template.py');

describe('the training template for TRL', () => {
  it.skipIf(!jinja).each(['string', 'object'] as const)(
    'puts exactly the trained answers into generation blocks, arguments as %s (needs python3 with jinja2)',
    async (form) => {
      const nasty = await nastyRows();
      const folder = await mkdtemp(join(tmpdir(), 'waymark-template-'));
      try {
        const { records } = await makeRecords(trlTarget, nasty, nasty.rows, form);
        const lines = records.flat().map(({ value }) => `${JSON.stringify(value)}\n`);
        await writeFile(join(folder, 'chat_template.jinja'), trainingTemplate);
        await writeFile(join(folder, 'train.jsonl'), lines.join(''));
        const run = spawnSync(
          'python3',
          [script, join(folder, 'chat_template.jinja'), join(folder, 'train.jsonl')],
          { encoding: 'utf8' },
        );
        expect(run.stderr).toBe('');
        const { spans, problems } = JSON.parse(run.stdout) as { spans: string[][]; problems: string[] };
        expect(problems).toEqual([]);
        expect(spans.map(({ length }) => length)).toEqual(records.flat().map(({ trained }) => trained));
        const [first, second] = spans[0] ?? [];
        const command = `echo '<tool_call>x</tool_call>' > a.txt`;
        expect(first).toBe(
          form === 'string'
            ? `Thought 1\n<tool_call>\n{"name": "run_command", "arguments": { "command" : "${command}", "timeout": 1.50 }}\n</tool_call><|im_end|>`
            : `Thought 1\n<tool_call>\n{"name": "run_command", "arguments": {"command": "${command}", "timeout": 1.5}}\n</tool_call><|im_end|>`,
        );
        expect(second?.split('</tool_call>\n<tool_call>')).toHaveLength(2);
        expect(spans.flat().filter((span) => span.includes('<think>'))).toEqual([
          expect.stringMatching(/^<think>\nBecause 你好\.\n<\/think>\n\nThought 1\n<tool_call>/),
        ]);
        for (const span of spans.flat()) expect(span.endsWith('<|im_end|>')).toBe(true);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
