import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wellFormed } from '@shared/base/clean-text';
import { escapeHumanTag } from '@shared/context/human-tag';
import { type ComputerSpec, type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import { oneCallWords, severalCallsWords, trainingWords } from '../../agent/budget';
import type { SummaryTexts } from '../../agent/summarise-texts';

type Head = EventBody<'segment.started'>['head'];

/** The messages before the first step: how to work, and the task (o_0 of APOLLO Algorithm 1). */
export async function promptHead(
  spec: TaskSpec,
  options: {
    resourcesDir: string;
    workspaceRoot: string;
    probed: EventBody<'workspace.probed'> | null;
    /** Where the computers are; absent: nothing of theirs is shown. */
    places?: EventBody<'run.created'>['computers'];
    taskHint: 'off' | 'tool' | 'upfront';
    /** How long one training may take, working time, ms; null or absent: as long as the run. */
    maxTrainingMs?: number | null;
    /** The request lets the model make several calls in one answer. */
    severalCalls: boolean;
  },
): Promise<Head> {
  const template = await readFile(join(options.resourcesDir, 'prompts', 'agent-system.md'), 'utf8');
  const system = fill(template, {
    workspace: options.workspaceRoot,
    computers: [
      ...pool(spec, options.probed),
      ...shownLines(options.places ?? []),
      ...trainingLines(options.maxTrainingMs ?? null),
    ].join('\n'),
    protected: protectedLine(spec),
    calls: options.severalCalls ? severalCallsWords : oneCallWords,
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
  const said = `Name the computer in every command. File tools and evaluations run on \`${holder}\`.`;
  if (probed.shared) {
    return [...marked, '', `All of them share the workspace, at the same path. ${said}`];
  }
  const where = probed.computers.map(({ name, sees, root }) =>
    sees
      ? `\`${name}\` shares it.`
      : `\`${name}\` does not share it: commands there start in \`${root ?? probed.root}\`, a separate folder with a copy of the task's files.`,
  );
  const apart = 'Changes in one folder do not appear in the other; copy files across yourself.';
  return [...marked, '', `The workspace is on \`${holder}\`. ${said} ${where.join(' ')} ${apart}`];
}

function computerLine(computer: ComputerSpec): string {
  const gpus =
    computer.gpus === null
      ? 'no GPU'
      : computer.gpus.count === 1
        ? `1 GPU with ${computer.gpus.memory_gb} GB`
        : `${computer.gpus.count} GPUs with ${computer.gpus.memory_gb} GB each`;
  const internet = computer.internet ? 'internet' : 'no internet';
  const begins = computer.setup.each_session;
  const sessions =
    begins.length === 0
      ? ''
      : `; its sessions first run ${begins.map((line) => `\`${escapeHumanTag(line)}\``).join(', then ')}`;
  return `- computer_ip \`${computer.name}\`: ${computer.type}, ${gpus}, ${internet}${sessions}`;
}

/** The folders of the person's machine that sandboxed sessions see; their names are no orders. */
function shownLines(places: EventBody<'run.created'>['computers']): string[] {
  return places.flatMap(({ name, folders = [] }) =>
    folders.length === 0
      ? []
      : [
          '',
          `On \`${name}\` you can also see these folders: ${folders.map(shownWords).join(', ')}. File tools can read them too.`,
        ],
  );
}

function shownWords({ path, write }: { path: string; write: boolean }): string {
  const name = /[\p{Cc}\p{Zl}\p{Zp}`]/u.test(path) ? JSON.stringify(path) : `\`${path}\``;
  return escapeHumanTag(`${name} (${write ? 'commands may change it' : 'read-only'})`);
}

function trainingLines(limitMs: number | null): string[] {
  return limitMs === null
    ? []
    : ['', `${trainingWords(limitMs)}; then it is stopped. Plan for this before you start one.`];
}

function protectedLine(spec: TaskSpec): string {
  return spec.protected.length === 0
    ? ''
    : ` These must not be changed: ${spec.protected.map((path) => `\`${path}\``).join(', ')}.`;
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/gu, (whole, name: string) => values[name] ?? whole);
}

/** What a summary turn says, from the application's prompts. */
export async function summaryTexts(resourcesDir: string): Promise<SummaryTexts> {
  const read = async (name: string) =>
    wellFormed((await readFile(join(resourcesDir, 'prompts', name), 'utf8')).trim());
  const [system, closing, goOn] = await Promise.all([
    read('summary-system.md'),
    read('summary-closing.md'),
    read('summary-go-on.md'),
  ]);
  return { system, closing, goOn };
}
