import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TemplateInput } from '../../dataset/tokens/jinja/template';

export type OracleAnswer = { text: string; generations: [number, number][] } | { error: string };

/** Why there is no Jinja2 to compare with; null: there is. */
export const noJinja: string | null =
  spawnSync('python3', ['-c', 'import jinja2']).status === 0 ? null : 'python3 cannot import jinja2 here';

/** Jinja2 itself, in a process of its own. */
export class JinjaOracle {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor() {
    this.child = spawn('python3', [join(import.meta.dirname, 'jinja-oracle.py')]);
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async render(template: string, input: TemplateInput): Promise<OracleAnswer> {
    const { messages, tools, addGenerationPrompt: prompt, variables } = input;
    this.child.stdin.write(`${JSON.stringify({ template, messages, tools, prompt, variables })}\n`);
    const line = await this.lines.next();
    return JSON.parse(String(line.value)) as OracleAnswer;
  }

  close(): void {
    this.child.stdin.end();
  }
}
