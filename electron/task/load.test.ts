import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskSpecSchema } from '@shared/contract/task';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';
import { checkTaskPackage, loadTaskPackage, problemLine } from './load';
import { unsupported, unsupportedThere } from './support';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-load-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const replaced = (from: string, to: string) => {
  expect(smallTaskYaml).toContain(from);
  return smallTaskYaml.replace(from, to);
};
const added = (text: string) => `${smallTaskYaml}${text}\n`;

/** Mutation → the one problem it must give: file, field, line, and words of cause and next step. */
const mutations: [string, string, { file?: string; field: string; line: number | null; says: RegExp }][] = [
  [
    'unknown field',
    added('limitz:\n  max_steps: 3'),
    { field: 'limitz', line: 17, says: /not a field.*"limits"/ },
  ],
  [
    'unknown nested field',
    replaced('max_steps', 'max_step'),
    { field: 'limits.max_step', line: 10, says: /"max_steps"/ },
  ],
  [
    'dashes for underscores',
    replaced('  timeout', '  max-bytes: 5\n  timeout'),
    { field: 'evaluation.max-bytes', line: 14, says: /"max_bytes"/ },
  ],
  [
    'unknown field in a list',
    replaced('    type', '    internett: true\n    type'),
    { field: 'computers[0].internett', line: 7, says: /"internet"/ },
  ],
  [
    'unknown guard',
    added('guards:\n  edit_twise: off'),
    { field: 'guards.edit_twise', line: 18, says: /"edit_twice"/ },
  ],
  [
    'guard level',
    added('guards:\n  edit_twice: refused'),
    { field: 'guards.edit_twice', line: 18, says: /off, warn, refuse.*"refuse"/ },
  ],
  [
    'unknown action',
    added('tools: [open_file, edit_fil]'),
    { field: 'tools[1]', line: 17, says: /"edit_file"/ },
  ],
  ['missing title', replaced('title: A small task\n', ''), { field: 'title', line: null, says: /missing/ }],
  [
    'missing evaluation',
    smallTaskYaml.slice(0, smallTaskYaml.indexOf('evaluation')),
    { field: 'evaluation', line: null, says: /missing/ },
  ],
  [
    'missing command',
    replaced('  command: sh "$WAYMARK_EVALUATOR/evaluate.sh"\n', ''),
    { field: 'evaluation.command', line: 11, says: /missing/ },
  ],
  [
    'text for a number',
    replaced('max_steps: 20', 'max_steps: many'),
    { field: 'limits.max_steps', line: 10, says: /number/ },
  ],
  [
    'number for text',
    replaced('title: A small task', 'title: 12'),
    { field: 'title', line: 2, says: /must be text.*quotation marks/ },
  ],
  [
    'zero steps',
    replaced('max_steps: 20', 'max_steps: 0'),
    { field: 'limits.max_steps', line: 10, says: /more than 0/ },
  ],
  [
    'duration without unit',
    replaced('timeout: 20s', 'timeout: "20"'),
    { field: 'evaluation.timeout', line: 14, says: /90s, 30m/ },
  ],
  ['bad id', replaced('id: small', 'id: Small Task'), { field: 'id', line: 1, says: /small letters/ }],
  [
    'reference on the wrong side',
    replaced('reference: 8', 'reference: -1'),
    { field: 'evaluation.score.reference', line: 16, says: /better side/ },
  ],
  [
    'gpu without gpus',
    replaced('localhost_cpu', 'gpu'),
    { field: 'computers[0].gpus', line: 5, says: /needed for type gpu/ },
  ],
  [
    'holder outside the pool',
    added('workspace: { holder: big }'),
    { field: 'workspace.holder', line: 17, says: /pool: local/ },
  ],
  [
    'approvals for a stranger',
    added('approvals:\n  remote: off'),
    { field: 'approvals.remote', line: 18, says: /not a computer/ },
  ],
  [
    'bad regular expression',
    added('rules:\n  training_commands: ["("]'),
    { field: 'rules.training_commands[0]', line: 18, says: /regular expression/ },
  ],
  [
    'hint tool not offered',
    added('task_hint: { mode: tool }'),
    { field: 'tools', line: null, says: /view_hint/ },
  ],
  [
    'absolute input',
    replaced('data/outputs/**', '/etc/passwd'),
    { field: 'evaluation.inputs[0]', line: 13, says: /relative to the workspace/ },
  ],
  [
    'climbing input',
    replaced('data/outputs/**', 'data/../../x'),
    { field: 'evaluation.inputs[0]', line: 13, says: /climb/ },
  ],
  [
    'open bracket',
    replaced('data/outputs/**', '"data/[ab"'),
    { field: 'evaluation.inputs[0]', line: 13, says: /not closed/ },
  ],
  [
    'protected path climbs',
    replaced('task/fixed.txt', '../x'),
    { field: 'protected[0]', line: 8, says: /stays inside/ },
  ],
  [
    'protected path missing',
    replaced('task/fixed.txt', 'task/gone.txt'),
    { field: 'protected[0]', line: 8, says: /gone\.txt/ },
  ],
  [
    'evaluator that the agent gets',
    replaced('  timeout', '  folder: task\n  timeout'),
    { field: 'evaluation.folder', line: 14, says: /copied to the agent/ },
  ],
  [
    'evaluator missing',
    replaced('  timeout', '  folder: judge\n  timeout'),
    { field: 'evaluation.folder', line: 14, says: /not in the package/ },
  ],
  [
    'description missing',
    added('description_file: story.md'),
    { file: 'story.md', field: '', line: null, says: /missing/ },
  ],
  [
    'task hint missing',
    added('task_hint: { mode: upfront }'),
    { file: 'hint.md', field: '', line: null, says: /missing.*mode to off/ },
  ],
  ['a key twice', added('id: other'), { field: '', line: 17, says: /not valid YAML.*unique/ }],
  ['no YAML', 'id: [', { field: '', line: 1, says: /not valid YAML/ }],
  ['nothing', '', { field: '', line: 1, says: /no fields/ }],
];

describe('mutations of task.yaml', () => {
  it.each(mutations)('%s is named with file, field and line', async (_, yaml, expected) => {
    await writeTaskPackage(folder, { 'task.yaml': yaml });
    const { taskPackage, problems } = await checkTaskPackage(folder);
    expect(taskPackage).toBeNull();
    const { says, file = 'task.yaml', ...where } = expected;
    expect(problems.map(problemLine).join('\n')).toMatch(says);
    expect(problems.map((problem) => ({ ...problem }))).toContainEqual(
      expect.objectContaining({ file, ...where }),
    );
  });

  it('lists all problems at once and puts the first into the message', async () => {
    const yaml = replaced('max_steps: 20', 'max_steps: 0').replace('title', 'titel').replace('20s', 'soon');
    await writeTaskPackage(folder, { 'task.yaml': yaml });
    const error = await loadTaskPackage(folder).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'task_invalid', message: expect.stringContaining(folder) });
    const { message, detail } = error as { message: string; detail: string };
    const lines = [message, ...detail.split('\n')];
    expect(lines).toHaveLength(4);
    expect(lines.join('\n')).toContain(
      'task.yaml, line 2, titel: is not a field of a task package. Did you mean "title"?',
    );
  });

  it('refuses aliases that grow without bound', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i += 1)
      bomb.push(`k${i}: &${'abcdefghij'[i]} [${`*${'abcdefghij'[i - 1]},`.repeat(9)}1]`);
    await writeTaskPackage(folder, { 'task.yaml': bomb.join('\n') });
    const { problems } = await checkTaskPackage(folder);
    expect(problems.map(problemLine).join('\n')).toMatch(/anchors and aliases/);
  });
});

describe('a sound package', () => {
  it('loads with its defaults, and its specification survives JSON', async () => {
    const { spec } = await loadTaskPackage(await writeTaskPackage(folder));
    expect(spec).toMatchObject({
      description: '## Task\n\nWrite eight lines.\n',
      limits: { max_steps: 20, max_working_time: '48h', max_eval_num: 3, on_evals_spent: 'continue' },
      guards: { edit_twice: 'warn', process_control: 'refuse' },
      task_hint: { mode: 'off' },
      context_tokens: 100_000,
      evaluation: { success_at: 80, score: { direction: 'higher' } },
    });
    expect(taskSpecSchema.parse(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
    expect(unsupported(spec)).toEqual([]);
  });

  it('takes the description and the task hint from their files', async () => {
    const yaml = added(
      'task_hint: { mode: tool, penalty: 5 }\ntools: [view_hint, eval, finish]\ndescription: Inline.',
    );
    const { spec } = await loadTaskPackage(
      await writeTaskPackage(folder, { 'task.yaml': yaml, 'hint.md': 'Look up.\n' }),
    );
    expect(spec.description).toBe('Inline.');
    expect(spec.task_hint).toMatchObject({ mode: 'tool', penalty: 5, text: 'Look up.\n' });
  });

  it('takes the task hint also where the task gives it to no run by itself', async () => {
    const hinted = await writeTaskPackage(folder, { 'hint.md': 'Look up.\n' });
    expect((await loadTaskPackage(hinted)).spec.task_hint).toMatchObject({ mode: 'off', text: 'Look up.\n' });
  });

  it('says which fields ask for more than there is, and for more than these computers', async () => {
    const yaml = replaced(
      'protected',
      '  - name: box\n    host: gpu-1\n    type: gpu\n    gpus: { count: 8, memory_gb: 80 }\nprotected',
    );
    const more = `${yaml}workspace: { root: /workspace }\ntools: [eval, parse_pdf, web_search]\n`;
    const { spec } = await loadTaskPackage(await writeTaskPackage(folder, { 'task.yaml': more }));
    const fields = (problems: { field: string }[]) => problems.map((problem) => problem.field);
    expect(fields(unsupported(spec))).toEqual(['tools', 'tools']);
    expect(fields(unsupportedThere(spec, () => false))).toEqual(['tools', 'tools']);
    expect(fields(unsupportedThere(spec, (name) => name === 'local'))).toEqual([
      'tools',
      'tools',
      'workspace.root',
    ]);
  });
});

describe('files of the package', () => {
  it('refuses links that leave it, absolute and dangling ones, and keeps inner ones', async () => {
    await writeTaskPackage(folder);
    await symlink('../../outside.txt', join(folder, 'data/leaves.txt'));
    await symlink('/etc/hostname', join(folder, 'data/absolute.txt'));
    await symlink('nowhere.txt', join(folder, 'data/dangling.txt'));
    await symlink('datasets/numbers.txt', join(folder, 'data/inner.txt'));
    const { problems } = await checkTaskPackage(folder);
    expect(problems.map((problem) => problem.file).sort()).toEqual([
      'data/absolute.txt',
      'data/dangling.txt',
      'data/leaves.txt',
    ]);
  });

  it('refuses a description that is not UTF-8 or too large', async () => {
    await writeTaskPackage(folder);
    await writeFile(join(folder, 'task_description.md'), Buffer.from([0x66, 0xff, 0xfe]));
    expect((await checkTaskPackage(folder)).problems.map(problemLine)).toEqual([
      expect.stringMatching(/not UTF-8/),
    ]);
    await writeFile(join(folder, 'task_description.md'), 'x'.repeat(2 * 1024 * 1024));
    expect((await checkTaskPackage(folder)).problems.map(problemLine)).toEqual([
      expect.stringMatching(/larger than/),
    ]);
  });

  it('says so when there is no task.yaml, no folder, or no permission', async () => {
    await mkdir(join(folder, 'empty'));
    await expect(loadTaskPackage(join(folder, 'empty'))).rejects.toMatchObject({
      code: 'task_invalid',
      message: expect.stringContaining('task.yaml: is missing'),
    });
    await expect(loadTaskPackage(join(folder, 'gone'))).rejects.toMatchObject({ code: 'task_invalid' });
    if (process.getuid?.() === 0) return;
    await writeTaskPackage(join(folder, 'closed'));
    await chmod(join(folder, 'closed/task.yaml'), 0);
    await expect(loadTaskPackage(join(folder, 'closed'))).rejects.toMatchObject({
      message: expect.stringContaining('EACCES'),
    });
  });
});
