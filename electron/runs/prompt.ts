import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import { escapeHumanTag } from '@shared/human-tag';
import { type ComputerSpec, type TaskSpec, workspaceHolder } from '@shared/task';
import { wellFormed } from '@shared/well-formed';

type Head = EventBody<'segment.started'>['head'];

/** The messages before the first step: how to work, and the task (o_0 of APOLLO Algorithm 1). */
export async function promptHead(
  spec: TaskSpec,
  options: {
    resourcesDir: string;
    workspaceRoot: string;
    probed: EventBody<'workspace.probed'> | null;
    taskHint: 'off' | 'tool' | 'upfront';
  },
): Promise<Head> {
  const template = await readFile(join(options.resourcesDir, 'prompts', 'agent-system.md'), 'utf8');
  const system = fill(template, {
    workspace: options.workspaceRoot,
    computers: pool(spec, options.probed).join('\n'),
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

/** The computers as the agent may use them, and where the workspace is among them. */
function pool(spec: TaskSpec, probed: EventBody<'workspace.probed'> | null): string[] {
  const usable = spec.computers.filter(({ evaluator }) => !evaluator);
  const lines = usable.map(computerLine);
  if (probed === null) return lines;
  const holder = workspaceHolder(spec).name;
  const marked = lines.map((line, i) => (usable[i]?.name === holder ? `${line}; holds the workspace` : line));
  const said = `Name the computer in every command. File tools and evaluations work on \`${holder}\`.`;
  if (probed.shared) {
    return [...marked, '', `All of them see the same workspace under the same path. ${said}`];
  }
  const where = probed.computers.map(({ name, sees, root }) =>
    sees
      ? `\`${name}\` sees it too.`
      : `\`${name}\` does not see it: commands there begin in \`${root ?? probed.root}\`, a folder of its own with a copy of the task's files.`,
  );
  const apart = 'What you change in one folder does not change in the other: bring files over yourself.';
  return [...marked, '', `The workspace is on \`${holder}\`. ${said} ${where.join(' ')} ${apart}`];
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
