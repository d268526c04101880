import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import { escapeHumanTag } from '@shared/human-tag';
import type { ComputerSpec, TaskSpec } from '@shared/task';
import { wellFormed } from '@shared/well-formed';

type Head = EventBody<'segment.started'>['head'];

/** The messages before the first step: how to work, and the task (o_0 of APOLLO Algorithm 1). */
export async function promptHead(
  spec: TaskSpec,
  options: { resourcesDir: string; workspaceRoot: string; taskHint: 'off' | 'tool' | 'upfront' },
): Promise<Head> {
  const template = await readFile(join(options.resourcesDir, 'prompts', 'agent-system.md'), 'utf8');
  const system = fill(template, {
    workspace: options.workspaceRoot,
    computers: spec.computers
      .filter(({ evaluator }) => !evaluator)
      .map(computerLine)
      .join('\n'),
    protected: protectedLine(spec),
  });
  return [
    { role: 'system', content: wellFormed(system.trim()) },
    { role: 'user', content: wellFormed(taskText(spec, options.taskHint === 'upfront')) },
  ];
}

/** Everything here comes from a task package, so a human tag in it is only text. */
function taskText(spec: TaskSpec, withHint: boolean): string {
  const parts = [`<task>\n${spec.description.trim()}\n</task>`];
  if (spec.constraints.length > 0) {
    parts.push(`Constraints:\n${spec.constraints.map((line) => `- ${line}`).join('\n')}`);
  }
  if (withHint && spec.task_hint.text !== '') {
    parts.push(`<task_hint>\n${spec.task_hint.text.trim()}\n</task_hint>`);
  }
  return escapeHumanTag(parts.join('\n\n'));
}

function computerLine(computer: ComputerSpec): string {
  const gpus =
    computer.gpus === null
      ? 'no GPU'
      : `${computer.gpus.count} GPU(s) with ${computer.gpus.memory_gb} GB each`;
  const internet = computer.internet ? 'internet' : 'no internet';
  return `- computer_ip \`${computer.name}\`: ${computer.type}, ${gpus}, ${internet}`;
}

function protectedLine(spec: TaskSpec): string {
  return spec.protected.length === 0
    ? ''
    : ` These must not be changed: ${spec.protected.map((path) => `\`${path}\``).join(', ')}.`;
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/gu, (whole, name: string) => values[name] ?? whole);
}
