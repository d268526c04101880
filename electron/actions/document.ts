import { type GuardRule, guardDefaults, taskSpecSchema } from '@shared/task';
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
  edit_unseen: 'editing lines that were not shown since the file changed',
  edit_twice: 'two edits of one file in a row',
  think_first: 'no `think` before the first edit or the first long command',
  early_sleep: 'a sleep of 120 s or more before any training was started',
  sleep_twice: 'two sleeps without a look between them',
  early_finish: 'finishing below 100 points with tries left',
  relative_path: 'a path that does not start at the root',
  outside_workspace:
    'a path outside the workspace, symbolic links resolved; also for `rm` and its like in commands',
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
  const what = param.ignored ? 'Accepted and recorded, without effect; not offered.' : param.description;
  return `| \`${param.name}\` | ${param.type} | ${param.ignored ? 'ignored' : need} | ${initial} | ${bounds} | ${cell(what)} |`;
}

function section(action: ActionDefinition, task: ActionTaskView): string[] {
  const rows = action.params.map(paramRow);
  return [
    `### \`${action.name}\``,
    '',
    describeAction(action, task),
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
    'What a command prints reaches the model without escape sequences, with progress bars in their final form, and within 30,000 characters: the first 20 % and the last 80 %, with the exact number left out. The log keeps every byte.',
    '',
    '## Guards',
    '',
    'Each guard is `off`, `warn` (the action runs, the notice follows its observation) or `refuse` (it does not run), set per task.',
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
