import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { smallTaskYaml } from '../testing/task-package';
import { parseTaskYaml } from './task-yaml';

/** Field, what stands there, and what is said of it. */
const slips: readonly [field: string, value: unknown, says: string, next?: string][] = [
  [
    'title',
    12,
    'must be text',
    'Change the value; put quotation marks around text that looks like something else.',
  ],
  ['title', '', 'must not be empty'],
  ['title', 'x'.repeat(301), 'is too long: at most 300 characters fit'],
  ['limits.max_steps', 'many', 'must be a number'],
  ['limits.max_steps', 1.5, 'must be a whole number'],
  ['limits.max_steps', 0, 'must be more than 0'],
  ['limits.max_steps', 2_000_000, 'must be 1,000,000 at most'],
  ['limits.max_eval_num', -1, 'must be 0 at least'],
  ['limits', 'none', 'must be a block of fields'],
  ['limits', [1], 'must be a block of fields'],
  ['context_tokens', 5, 'must be 2,000 at least'],
  ['context_tokens', Number.POSITIVE_INFINITY, 'must be a number'],
  ['evaluation.network', 'sometimes', 'must be true or false'],
  ['evaluation.inputs', 'data/outputs/**', 'must be a list'],
  ['evaluation.inputs', [], 'must hold at least one entry'],
  ['evaluation.inputs', {}, 'must be a list'],
  ['evaluation.success_at', 101, 'must be 100 at most'],
  ['evaluation.folders', Array(51).fill('/a'), 'must hold at most 50 entries'],
  ['evaluation.score.baseline', 'low', 'must be a number'],
  [
    'rules.labels',
    { 'blind-edit': { parameters: { within: {} } } },
    'must be true or false, a number, text or a list',
  ],
  [
    'rules.labels',
    { 'blind-edit': { parameters: { Within: 1 } } },
    'must be small letters, digits and underscores',
  ],
  [
    'rules.labels',
    { 'blind-edit': { parameters: { within: 'x'.repeat(3_000) } } },
    'is too long: at most 2,000 characters fit',
  ],
  ['approvals', ['local'], 'must be a block of fields'],
  ['computers', 'local', 'must be a list'],
  ['guards.edit_twice', 'no', 'must be one of off, warn, refuse'],
];

const missing: readonly [field: string, next: string][] = [
  ['id', 'Add it: text.'],
  ['evaluation', 'Add it: a block of fields.'],
  ['evaluation.inputs', 'Add it: a list.'],
  ['evaluation.score.baseline', 'Add it: a number.'],
  ['computers.0.type', 'Add it: one of gpu, cpu, localhost_cpu.'],
];

function changed(field: string, value?: unknown): string {
  const spec = parse(smallTaskYaml) as Record<string, unknown>;
  const path = field.split('.');
  let at = spec;
  for (const part of path.slice(0, -1)) {
    at[part] ??= {};
    at = at[part] as Record<string, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return stringify(spec);
}

test.each(slips)('%s: %j', (field, value, says, next) => {
  const { problems } = parseTaskYaml(changed(field, value));
  const found = problems.filter((each) => each.field.startsWith(field));
  expect(found.map(({ cause }) => cause)).toEqual([says]);
  if (next !== undefined) expect(found[0]?.next).toBe(next);
});

test.each(missing)('%s is missing', (field, next) => {
  const { problems } = parseTaskYaml(changed(field));
  expect(problems.map((each) => [each.cause, each.next])).toContainEqual(['is missing', next]);
});

test('nothing is said in the words of the schema, whatever stands in whichever field', () => {
  const values = [
    null,
    'text',
    '',
    7,
    -1,
    1.5,
    true,
    [],
    {},
    [[]],
    [{}],
    { a: 1 },
    'x'.repeat(300_000),
    1e30,
  ];
  const wrong: string[] = [];
  for (const field of fieldsOf(parse(smallTaskYaml))) {
    for (const value of values) {
      for (const { cause, next } of parseTaskYaml(changed(field, value)).problems) {
        const said = `${cause}. ${next}`;
        if (
          /expected|received|invalid|undefined|[<>]=|\btoo (?:big|small)\b|\ban? (?:int|array|string|object|boolean|nan)\b|\ba [aeiou]/i.test(
            said,
          )
        )
          wrong.push(`${field}: ${said}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

/** Every field that the task's blocks and lists hold, and some that this one does not write. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const own = Object.entries(value).flatMap(([key, inner]) =>
    fieldsOf(inner, path === '' ? key : `${path}.${key}`),
  );
  return path === ''
    ? [
        ...own,
        ...'domain paper workspace.holder workspace.shared code_folders tools commands commands.rules commands.classes approvals checkpoints task_hint rules rules.gpu_taken_mb rules.training_commands rules.labels licence computers.0.setup computers.0.gpus computers.0.setup.variables'.split(
          ' ',
        ),
      ]
    : [path, ...own];
}
