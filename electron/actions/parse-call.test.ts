import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testTask } from './action-rig';
import { parseCall, pathArguments, toolOf } from './parse-call';
import { actionTable, offeredActions, unsupportedActions } from './table';
import { actionTaskView } from './task-view';

const task = actionTaskView(testTask(), '/workspace');
const offered = offeredActions(task);
const parse = (name: string, args: unknown) =>
  parseCall(offered, task, name, typeof args === 'string' ? args : JSON.stringify(args));
const argsOf = (name: string, args: unknown) => {
  const parsed = parse(name, args);
  return parsed.ok ? parsed.call.args : parsed.problem;
};

describe('parsing', () => {
  test('optional arguments sent as None, null or "" are absent; numbers and truth values may be texts', () => {
    expect(argsOf('open_file', { path: '/a', line_number: 'None', context_lines: null })).toEqual({
      path: '/a',
    });
    expect(argsOf('open_file', { path: '/a', line_number: ' 12 ', context_lines: '' })).toEqual({
      path: '/a',
      line_number: 12,
    });
    expect(argsOf('run_command', { command: 'ls', wait_for_completion: 'True', session_id: 'null' })).toEqual(
      {
        command: 'ls',
        wait_for_completion: true,
      },
    );
    expect(argsOf('search_file', { search_term: 'x', file_path: '' })).toEqual({ search_term: 'x' });
    expect(argsOf('search_file', { search_term: 42 })).toEqual({ search_term: '42' });
  });

  test('"None" and "" are contents where a content is asked for', () => {
    expect(argsOf('create_file', { filename: '/a', content: '' })).toEqual({ filename: '/a', content: '' });
    expect(argsOf('create_file', { filename: '/a', content: 'None' })).toEqual({
      filename: '/a',
      content: 'None',
    });
  });

  test('the transport settings of the reference are accepted, recorded and not offered', () => {
    expect(argsOf('run_command', { command: 'ls', http_port: '8123', use_proxy: 'false' })).toEqual({
      command: 'ls',
      http_port: 8123,
      use_proxy: false,
    });
    expect(argsOf('run_command', { command: 'ls', http_port: 'odd' })).toEqual({ command: 'ls' });
    expect(JSON.stringify([...offered.values()].map((action) => toolOf(action, task)))).not.toMatch(
      /http_port|use_proxy/,
    );
  });

  test('what is wrong is taught with what is right', () => {
    expect(argsOf('open_file', { path: '/a', thought: 'x' })).toBe(
      'open_file has no parameter "thought". open_file takes path (text), line_number? (a whole number), context_lines? (a whole number).',
    );
    expect(argsOf('edit_file', { path: '/a' })).toContain('edit_file needs `content`.');
    expect(argsOf('edit_file', { path: '/a', content: '', start: 2, start_line: 3 })).toContain(
      '`start_line` of edit_file means the same as `start`; give only one of them.',
    );
    expect(argsOf('open_file', { path: '/a', line_number: 'ten' })).toContain(
      '`line_number` of open_file must be a whole number, not "ten".',
    );
    expect(argsOf('open_file', { path: '/a', line_number: 0 })).toContain('must be at least 1, not 0');
    expect(argsOf('open_file', { path: '/a', context_lines: 5000 })).toMatchObject({ context_lines: 100 });
    expect(argsOf('open_file', '{"path": "/a')).toContain('not valid JSON');
    expect(argsOf('open_file', '[1]')).toContain('must be one JSON object');
    expect(argsOf('think', '')).toEqual({});
    expect(argsOf('think', 'null')).toEqual({});
    expect(argsOf('view_hint', {})).toMatch(
      /^The tool "view_hint" is not offered in this task\. The nearest (?:is|are) [a-z_, ]+\.$/,
    );
    expect(argsOf('grep', { pattern: 'x' })).toBe(
      'There is no tool "grep". The nearest are search_dir, search_file.',
    );
    expect(argsOf('bash', {})).toBe('There is no tool "bash". The nearest is run_command.');
    expect(argsOf('opn_file', {})).toMatch(/The nearest are open_file, /);
    expect(argsOf('', {})).toBe('The call names no tool.');
    expect(argsOf('run it\n', {})).toMatch(
      /^"run it\\n" is not a valid tool name, which has 1 to 64 letters, digits, underscores and dashes\. The nearest (?:is|are) run_command/,
    );
    expect(argsOf('functions.run_command', { command: 'ls' })).toMatch(/ The nearest (?:is|are) run_command/);
    expect(argsOf('x'.repeat(60_000), {}).toString().length).toBeLessThan(400);
    expect(argsOf('open_file', { path: '/a', __proto__x: 1, constructor: 2 })).toContain('no parameter');
  });

  test('a call by its form stays one, whatever it asks for', () => {
    const readable = (name: string, args: unknown) => {
      const parsed = parse(name, args);
      return parsed.ok || parsed.readable;
    };
    expect(readable('grep', {})).toBe(true);
    expect(readable('parse_pdf', { file_path: '/a' })).toBe(true);
    expect(readable('open_file', {})).toBe(true);
    expect(readable('open_file', { path: '/a', more: 1 })).toBe(true);
    expect(readable('finish', '')).toBe(true);
    expect(readable('open_file', '{"path": "/a')).toBe(false);
    expect(readable('open_file', '["/a"]')).toBe(false);
    expect(readable('open_file', '"/a"')).toBe(false);
    expect(readable('', {})).toBe(false);
    // Endpoints refuse every request that such a call stands in (docs/adr/0020).
    expect(readable('no name for an endpoint', {})).toBe(false);
    expect(readable('functions.run_command', { command: 'ls' })).toBe(false);
    expect(readable('x'.repeat(65), {})).toBe(false);
  });

  test('computer_ip is asked for only where there are several; left out it is where the workspace is', () => {
    const two = actionTaskView(
      testTask({
        computers: [
          { name: 'one', host: 'local', type: 'localhost_cpu' },
          { name: 'two', host: 'far', type: 'cpu' },
        ],
      }),
      '/workspace',
    );
    const run = offeredActions(two).get('run_command');
    expect(run && toolOf(run, two).function.parameters).toMatchObject({
      required: ['computer_ip', 'command', 'session_id'],
    });
    expect(parseCall(offeredActions(two), two, 'run_command', '{"command":"ls"}').ok).toBe(true);
    const alone = offered.get('run_command');
    expect(JSON.stringify(alone && toolOf(alone, task))).not.toContain('computer_ip');
    expect(argsOf('run_command', { command: 'ls', computer_ip: 'local' })).toMatchObject({
      computer_ip: 'local',
    });
    expect(argsOf('run_command', { command: 'ls' })).toEqual({ command: 'ls' });
  });

  test('no text makes parsing throw, and what it accepts it accepts again', () => {
    const names = fc.constantFrom(...offered.keys(), 'nothing');
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constant('None'),
    );
    const keys = fc.constantFrom(
      ...new Set(actionTable.flatMap((action) => action.params.map((param) => param.name))),
      'other',
    );
    fc.assert(
      fc.property(
        names,
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.dictionary(keys, value).map((d) => JSON.stringify(d)),
        ),
        (name, text) => {
          const parsed = parse(name, text);
          if (!parsed.ok) expect(parsed.problem).toMatch(/\.$/);
          else expect(parse(name, parsed.call.args)).toEqual(parsed);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('the table', () => {
  test('has every action of the three families once, in schemas with defaults', () => {
    const names = actionTable.map((action) => action.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBe(28);
    expect(unsupportedActions.every((name) => /^(?:parse_|web_)/.test(name))).toBe(true);
    const open = offered.get('open_file');
    expect(open && toolOf(open, task).function.parameters).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string' },
        line_number: { type: 'integer', default: 1 },
        context_lines: { type: 'integer', default: 100 },
      },
      required: ['path'],
    });
  });

  test('offers what the task lists; view_hint only as a tool', () => {
    expect(offered.has('view_hint')).toBe(false);
    const hinted = actionTaskView(
      testTask({ tools: ['think', 'view_hint'], task_hint: { mode: 'tool' } }),
      '/workspace',
    );
    expect([...offeredActions(hinted).keys()]).toEqual(['think', 'view_hint']);
  });
});

describe('what cannot be done is refused before a person is asked about it', () => {
  const all = [...offered.values()];
  const sound: Record<string, unknown> = { string: 'a', integer: 1, number: 1, boolean: true };
  const withOne = (action: (typeof all)[number], name: string, value: string) =>
    parse(action.name, {
      ...Object.fromEntries(
        action.params
          .filter(({ required }) => required === true)
          .map((each) => [each.name, sound[each.type]]),
      ),
      [name]: value,
    });

  const sessions = all.filter(({ params }) => params.some(({ name }) => name === 'session_id'));
  test.each(sessions)('a session that cannot have its name, by $name', (action) => {
    for (const name of ['a\nb', 'x'.repeat(65), 'ü'.repeat(40), 'a\u001b[2J', '\u0000'])
      expect(withOne(action, 'session_id', name), JSON.stringify(name)).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/session name/),
      });
    expect(withOne(action, 'session_id', 'main')).toMatchObject({ ok: true });
  });

  const paths = all.filter(({ name }) => pathArguments[name] !== undefined);
  test.each(paths)('a path with NUL, by $name', (action) => {
    const argument = pathArguments[action.name] ?? '';
    expect(withOne(action, argument, '/etc/a\u0000b')).toMatchObject({ ok: false });
    expect(withOne(action, argument, '/etc/a b')).toMatchObject({ ok: true });
  });

  test('a command that no session takes', () => {
    expect(sessions.length).toBeGreaterThan(5);
    expect(parse('run_command', { command: 'a\u0000b', session_id: 'main' })).toMatchObject({ ok: false });
    expect(parse('run_command', { command: 'x'.repeat(5e6), session_id: 'main' })).toMatchObject({
      ok: false,
    });
  });
});
