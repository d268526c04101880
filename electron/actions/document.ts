import { type GuardRule, guardDefaults, taskSpecSchema } from '@shared/contract/task';
import type { ActionDefinition, ActionParam } from './action';
import { describeAction } from './parse-call';
import { actionTable } from './table';
import { type ActionTaskView, actionTaskView } from './task-view';

/** A task that states nothing: the page describes the actions as such a task offers them. */
function plainTask(): ActionTaskView {
  const spec = taskSpecSchema.parse({
    id: 'plain',
    title: 'Plain',
    evaluation: { command: 'true', inputs: ['**'] },
  });
  return actionTaskView(spec, '/workspace');
}

const familyTitles: Record<string, string> = {
  command: 'Command actions',
  file: 'File actions',
  special: 'Special actions',
};

const guardWords: Record<GuardRule, string> = {
  edit_unseen: 'changing a file that was not viewed since it last changed',
  edit_twice: 'two edits of one file in a row',
  think_first: 'no `think` before the first edit or the first long command',
  early_sleep: 'a sleep of 120 s or more while nothing runs in a session',
  sleep_twice: 'two sleeps without a check between them',
  early_finish: 'finishing below the full score with evaluations and at least a tenth of the time left',
  relative_path: 'a path that is not absolute',
  outside_workspace:
    'a path outside the workspace, symbolic links resolved; also for `rm` and similar commands',
  process_control: '`nohup`, `kill`, `pkill`, `killall`, wherever in a command they are run',
  task_command: 'a command whose class or program the task itself refuses (`commands` in task.yaml)',
};

const cell = (text: string) => text.replaceAll('|', '\\|');

function paramRow(param: ActionParam): string {
  const need =
    param.required === true
      ? 'required'
      : param.required === 'several'
        ? 'required with several computers'
        : 'optional';
  const bounds = [
    ...(param.min === undefined ? [] : [`from ${param.min}`]),
    ...(param.max === undefined ? [] : [`to ${param.max}`]),
  ].join(' ');
  const initial = param.default === undefined ? '' : `\`${JSON.stringify(param.default)}\``;
  const what = param.ignored
    ? 'Accepted and recorded, without effect; not offered.'
    : [param.description, param.note, otherNames(param.aliases)].filter(Boolean).join(' ');
  return `| \`${param.name}\` | ${param.type} | ${param.ignored ? 'ignored' : need} | ${initial} | ${bounds} | ${cell(what)} |`;
}

const otherNames = (aliases: readonly string[] = []) =>
  aliases.length === 0 ? '' : `Also accepted as ${aliases.map((name) => `\`${name}\``).join(', ')}.`;

function section(action: ActionDefinition, task: ActionTaskView): string[] {
  const rows = action.params.map(paramRow);
  return [
    `### \`${action.name}\``,
    '',
    [describeAction(action, task), otherNames(action.aliases)].filter(Boolean).join(' '),
    '',
    ...(rows.length === 0
      ? ['No parameters.', '']
      : ['| parameter | type | | default | bounds | meaning |', '|---|---|---|---|---|---|', ...rows, '']),
  ];
}

/** The page `docs/actions.md`, made from the table so that it cannot disagree with it. */
export function actionsPage(): string {
  const task = plainTask();
  const families = [...new Set(actionTable.map((action) => action.family))];
  return [
    '# Actions',
    '',
    'Generated from `electron/actions/table.ts`: change the table and run `UPDATE_DOCS=1 npx vitest run electron/actions/document`.',
    '',
    'A task offers some of these to the model (`tools` in `task.yaml`). Optional arguments sent as `"None"`, `"null"` or `""` count as absent, numbers and truth values may be sent as strings, and unknown arguments are answered with the list of known ones. `computer_ip` is the name of a computer of the task; with a single computer it may be left out.',
    '',
    'What a command prints reaches the model without escape sequences, with progress bars in their final form, and an observation has at most 12,000 characters: whole lines of the first 20 % and the last 80 %, with a note between them that says how much is left out and how to see it. The log keeps every byte.',
    '',
    'A call with a plausible name and one JSON object as its arguments stays a call even when there is no such tool, the task does not offer it, or the arguments do not fit: its observation says what is wrong and names the nearest tools, or the fields. Only what cannot be read as a call is shown to the model as text, with a message that explains the mistake. Several calls in one answer are run, one after another, only where the request allows it (`parallel_tool_calls`); otherwise the first is run, and the observations of the others say that they were not.',
    '',
    "The names and defaults of the paper's tools (InnovatorBench, appendix F) are accepted beside our own, also with `_action` appended to a name: `computer_ip` is then the computer that holds the workspace, `run_command` without a session opens a new one, other actions take the session used last, and `.` or `./` as a folder is the workspace. `null_action`, which performs nothing, counts as an empty `think`. The paper's tools for web pages, search engines and documents (F.2, F.4, F.5) are not supported yet; a task that asks for them is refused when a run is started.",
    '',
    '## Guards',
    '',
    'Each guard is `off`, `warn` (the action runs, the notice follows its observation) or `refuse` (it does not run), set per task. At `warn`, `early_sleep` skips the first such sleep instead, and of `early_finish` only the log tells.',
    '',
    '| guard | default | concerns |',
    '|---|---|---|',
    ...Object.entries(guardDefaults).map(
      ([rule, level]) => `| \`${rule}\` | ${level} | ${guardWords[rule as GuardRule]} |`,
    ),
    '',
    ...families.flatMap((family) => [
      `## ${familyTitles[family] ?? family}`,
      '',
      ...actionTable.filter((action) => action.family === family).flatMap((action) => section(action, task)),
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
