import { join, resolve } from 'node:path';
import { defaultTools } from '@shared/contract/task';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionOutcome } from '../agent/ports';
import { sessionDirectories } from '../checkpoint/session-directories';
import { LocalComputer } from '../computer/local/local-computer';
import { ActionFactsFold } from './action-facts';
import { type ActionRig, actionRig } from './action-rig';
import type { EvaluationResult } from './task-view';

const scored: EvaluationResult = {
  attempt: 1,
  outcome: 'scored',
  raw: 0.5,
  score: 40,
  metrics: {},
  message: '',
  penalty: 0,
  durationMs: 1,
  protectedChanged: [],
};

/**
 * Calls as the tools of InnovatorBench's appendix F have them: their names, their parameters, their defaults left out or
 * sent as they stand there. One workspace, from top to bottom; `{root}` is its folder. What follows is what the paper says
 * that the call does, in our words.
 */
const calls: readonly [name: string, args: Record<string, unknown>, seen: RegExp][] = [
  // F.1 Command actions
  ['session_status', {}, /^No session is open yet on local\. create_session and run_command open one\.$/],
  ['session_status', { computer_ip: 'localhost', session_id: null }, /^No session is open yet/],
  ['session_idle', { session_id: 'None' }, /^No session is open yet/],
  ['session_idle_action', {}, /^No session is open yet/],
  ['get_session_output', {}, /^No session is open yet/],
  [
    'get_session_output',
    { start_lines: 50, end_lines: null, since_timestamp: null },
    /^No session is open yet/,
  ],
  ['clear_session_buffer', {}, /^No session is open yet/],
  ['kill_session_processes', { session_id: null, force: false }, /^No session is open yet/],
  ['create_session', {}, /^Session session-1 is open on local/],
  [
    'create_session',
    { computer_ip: 'localhost', session_id: null, http_port: null, use_proxy: true },
    /session-2 is open/,
  ],
  [
    'create_session',
    { computer_ip: 'local', session_id: 'train', http_port: 8123, use_proxy: false },
    /^Session train is open/,
  ],
  [
    'create_session_action',
    { session_id: 'train' },
    /^Session train already exists on local and is idle, in \//,
  ],
  ['list_sessions', {}, /^3 sessions on local/],
  ['list_sessions', { computer_ip: null }, /\ntrain on local: idle/],
  ['list_sessions', { computer_ip: 'None' }, /\nsession-1 on local/],
  [
    'run_command',
    { command: 'echo one', wait_for_completion: true },
    /in session shell-16 on local\.\none\n$/,
  ],
  [
    'run_command',
    { command: 'echo two', session_id: null, wait_for_completion: true },
    /in session shell-17 /,
  ],
  [
    'run_command',
    {
      command: 'sleep 30',
      computer_ip: 'localhost',
      session_id: 'train',
      http_port: null,
      wait_for_completion: false,
      use_proxy: true,
    },
    /^Started in session train/,
  ],
  ['run_command', { command: 'sleep 31' }, /^Started in session shell-19/],
  [
    'run_command',
    { command: 'mkdir -p sub && cd sub && pwd', session_id: 'session-1', wait_for_completion: 'True' },
    /\/sub\n$/,
  ],
  ['run_command_action', { command: 'pwd', session_id: 'session-1', wait_for_completion: true }, /\/sub\n$/],
  ['session_status', {}, /^Session session-1 on local is idle\. .*\nDirectory: .*\/sub\./],
  [
    'session_status',
    { computer_ip: 'localhost', session_id: 'train' },
    /^Session train on local is busy with "sleep 30" \([\d.]+ s so far\)\./,
  ],
  ['get_session_status', { session_id: null }, /^Session train/],
  ['session_idle', { computer_ip: 'localhost' }, /^Session train on local is busy/],
  ['session_idle_action', { session_id: 'session-2' }, /is idle/],
  ['check_session_idle', { computer_ip: 'localhost', session_id: 'None' }, /^Session session-2/],
  [
    'get_session_output',
    { session_id: 'session-1', start_lines: 50, end_lines: null, since_timestamp: null },
    /\/sub/,
  ],
  ['get_session_output', { computer_ip: 'localhost' }, /Session session-1/],
  ['get_session_output', { session_id: 'session-1', start_lines: 4, end_lines: 2 }, /^Lines \d+-\d+ of/],
  ['get_session_output_action', { session_id: 'session-1', since_timestamp: 1.5 }, /lines since then/],
  [
    'run_command',
    { command: 'read -r name; echo "hello $name"', session_id: 'ask' },
    /^Started in session ask/,
  ],
  ['input_in_session', { computer_ip: 'localhost', session_id: 'ask', input_text: 'Ada' }, /hello Ada/],
  [
    'run_command',
    { command: 'read -r name; echo "done <$name>"', session_id: 'ask' },
    /^Started in session ask/,
  ],
  ['input_in_session_action', {}, /done <>/],
  ['clear_session_buffer', { session_id: 'ask' }, /Cleared the output so far of session ask on local/],
  ['clear_session_buffer', { computer_ip: 'localhost', session_id: null }, /session ask/],
  [
    'kill_session_processes',
    { computer_ip: 'localhost', session_id: 'train', force: false },
    /^Ended 1 process\. Session train is idle/,
  ],
  [
    'kill_session_processes',
    { session_id: 'shell-19', force: true },
    /^Ended 1 process\. Session shell-19 is idle/,
  ],
  ['kill_session_processes', {}, /^Nothing was running in session shell-19/],
  ['close_session', { computer_ip: 'localhost', session_id: 'train' }, /^Session train on local is closed/],
  // F.3 File actions
  ['create_file', { filename: '{root}/notes.md' }, /^Created .*\(0 lines, 0 bytes\)/],
  [
    'create_file_action',
    { filename: '{root}/src/model.py', content: 'a = 1\nb = 2\nc = 3\n' },
    /^Created .*3 lines/,
  ],
  ['create_file', { filename: '{root}/notes.md', content: 'first\nsecond\n' }, /^Wrote .*2 lines/],
  ['open_file', { path: '{root}/src/model.py', line_number: 1, context_lines: null }, /1\|a = 1\n2\|b = 2/],
  ['open_file_action', { path: '{root}/src/model.py', line_number: 3, context_lines: 1 }, /3\|c = 3/],
  ['goto_line', { line_number: 2 }, /2\|b = 2/],
  ['goto_line_action', { line_number: '1' }, /1\|a = 1/],
  ['file_goto_line', { line_number: 1 }, /1\|a = 1/],
  ['file_scroll_down', {}, /ends at line 3/],
  ['file_scroll_up_action', {}, /starts at line 1/],
  ['get_file_info', {}, /^Current file: .*model\.py, 3 lines/],
  [
    'file_edit',
    { path: '{root}/src/model.py', start_line: 2, end_line: 2, content: 'b = 20' },
    /^Replaced lines 2-2/,
  ],
  [
    'file_edit_action',
    { path: '{root}/src/model.py', start_line: '1', end_line: '1', content: 'a = 10\n' },
    /^Replaced lines 1-1/,
  ],
  ['edit_file', { path: '{root}/src/model.py', start: 4, end: 4, content: 'd = 4' }, /^Appended 1 line/],
  ['search_dir', { search_term: 'b = 20', dir_path: './' }, /model\.py:2\|b = 20/],
  ['search_dir', { search_term: 'second' }, /notes\.md:2\|second/],
  ['search_dir_action', { search_term: 'a = 10', dir_path: '.' }, /model\.py:1/],
  ['search_file', { search_term: 'c = 3', file_path: '{root}/src/model.py' }, /3\|c = 3/],
  ['search_file', { search_term: 'd = 4', file_path: null }, /4\|d = 4/],
  ['search_file_action', { search_term: 'd = 4' }, /4\|d = 4/],
  ['find_file', { file_name: '*.py', dir_path: './' }, /^1 file .*\n.*\/src\/model\.py$/],
  ['find_file', { file_name: 'model' }, /\/src\/model\.py$/],
  ['find_file_action', { file_name: 'notes.md', dir_path: './' }, /\/notes\.md$/],
  ['list_files', { path: '.', show_hidden: false }, /\nsrc\/\n.*notes\.md/s],
  ['list_files', {}, /\nsrc\//],
  ['list_files_action', { show_hidden: true }, /\nsrc\//],
  // F.6 Special actions
  ['think', { thought: 'The baseline comes first.' }, /^Noted/],
  ['think_action', {}, /^Noted/],
  ['think_action', { action: 'The baseline comes first.' }, /^Noted/],
  ['think_action', { action: { thought: 'The baseline comes first.' } }, /^Noted/],
  ['think_action', { action: { type: 'think', thought: 'First things first.' } }, /^Noted/],
  ['think', { action: {} }, /^Noted/],
  ['null_action', {}, /^Noted/],
  ['eval', {}, /^Score: 40 of 100/],
  ['view_hint', {}, /^Task hint\..*\nLook at the tokenizer\.$/s],
  ['view_hint_action', {}, /^Task hint/],
  ['view_hint_action', { action: {} }, /^Task hint/],
  ['view_hint_action', { action: { type: 'view_hint' } }, /^Task hint/],
  ['view_hint', { action: 'view_hint' }, /^Task hint/],
  ['close_all_sessions', { computer_ip: null }, /^Closed \d+ sessions/],
  ['close_all_sessions', {}, /^There were no sessions/],
  ['get_session_output', {}, /^No session is open on local any more\./],
  ['finish', {}, /^The run ends here/],
];

let rig: ActionRig;
beforeAll(async () => {
  rig = await actionRig({
    task: {
      task_hint: { mode: 'tool', text: 'Look at the tokenizer.', penalty: 10 },
      tools: [...defaultTools, 'view_hint'],
    },
    deps: {
      evaluate: async () => scored,
      directories: (computer) =>
        sessionDirectories(computer, `${rig.root}/../sessions`, new AbortController().signal),
    },
  });
});
afterAll(() => rig.dispose());

describe('calls in the form of the paper', () => {
  test('are 60 at least', () => expect(calls.length).toBeGreaterThanOrEqual(60));

  for (const [at, [name, args, seen]] of calls.entries()) {
    test(`${at + 1}. ${name} ${JSON.stringify(args)}`, async () => {
      const text = JSON.stringify(args).replaceAll('{root}', rig.root);
      const parsed = rig.actions.parse(name, text);
      if (!parsed.ok) throw new Error(parsed.problem);
      expect(rig.actions.guards(parsed.call, at + 1).filter(({ level }) => level === 'refuse')).toEqual([]);
      const context = rig.context({ step: at + 1, callId: `call-${at + 1}` });
      const outcome: ActionOutcome = await rig.actions.run(parsed.call, context);
      expect(outcome.text).toMatch(seen);
      expect(outcome.error).toBeNull();
      expect(outcome.ok).toBe(true);
      const { action } = args;
      const thought =
        typeof action === 'object' && action !== null && 'thought' in action ? action.thought : action;
      if (name.startsWith('think') && typeof thought === 'string') expect(outcome.data).toEqual({ thought });
    });
  }
});

/** `local` holds the workspace: it is meant where no computer is named. What fails says what there is instead. */
const ofTwo: readonly [name: string, args: Record<string, unknown>, seen: RegExp, error?: string][] = [
  ['create_session', { computer_ip: 'gpu-1', session_id: 'far' }, /^Session far is open on gpu-1/],
  [
    'run_command',
    { command: 'echo far', computer_ip: 'gpu-1', session_id: 'far', wait_for_completion: true },
    /in session far on gpu-1\.\nfar\n$/,
  ],
  [
    'run_command',
    { command: 'echo near', wait_for_completion: true },
    /in session shell-3 on local\.\nnear\n$/,
  ],
  [
    'run_command',
    { command: 'echo near', session_id: 'far', wait_for_completion: true },
    /in session far on local\./,
  ],
  [
    'list_sessions',
    {},
    /^3 sessions on local and gpu-1\.\nfar on local: idle\nshell-3 on local: idle\nfar on gpu-1: idle$/,
  ],
  ['list_sessions', { computer_ip: 'gpu-1' }, /^1 session on gpu-1\./],
  ['session_status', { computer_ip: 'gpu-1' }, /^Session far on gpu-1 is idle/],
  ['session_status', {}, /^Session far on local is idle/],
  ['get_session_output', { computer_ip: 'gpu-1' }, /Session far on gpu-1.*echo far/s],
  ['get_session_output', { session_id: 'far' }, /Session far on local.*echo near/s],
  [
    'close_session',
    { computer_ip: 'gpu-1', session_id: 'shell-3' },
    /^There is no session "shell-3" on gpu-1\. Its sessions are: far\.$/,
    'not_found',
  ],
  [
    'run_command',
    { command: 'ls', computer_ip: 'gpu-9' },
    /^There is no computer "gpu-9"\. The computers are: local, gpu-1\.$/,
    'not_found',
  ],
  ['create_file', { filename: '{root}/notes.md', content: 'kept\n' }, /^Created .*notes\.md/],
  ['close_all_sessions', { computer_ip: 'gpu-1' }, /^Closed 1 session: far on gpu-1/],
  ['close_all_sessions', {}, /^Closed 2 sessions: far on local, shell-3 on local/],
];

test('calls of the paper with two computers: one that is named, and the workspace’s where none is', async () => {
  const first = await actionRig();
  const second = new LocalComputer({
    name: 'gpu-1',
    sessionsDir: join(first.root, '..', 'far'),
    resourcesDir: resolve(import.meta.dirname, '../../resources'),
  });
  try {
    const [own] = first.task.computers;
    if (own === undefined) throw new Error('The rig has a computer.');
    const task = { ...first.task, computers: [own, { ...own, name: 'gpu-1' }] };
    const computers = new Map([
      ['local', first.computer],
      ['gpu-1', second],
    ]);
    const actions = first.again(new ActionFactsFold(task), { task, computers });
    for (const [at, [name, args, seen, error]] of ofTwo.entries()) {
      const parsed = actions.parse(name, JSON.stringify(args).replaceAll('{root}', first.root));
      if (!parsed.ok) throw new Error(parsed.problem);
      const context = first.context({ step: at + 1, callId: `call-${at + 1}` });
      const outcome = await actions.run(parsed.call, context);
      expect(outcome.text, `${at + 1}. ${name}`).toMatch(seen);
      expect(outcome.error?.code, `${at + 1}. ${name}`).toBe(error);
    }
  } finally {
    for (const { name } of await second.sessions.list()) await second.sessions.close(name);
    await second.dispose();
    await first.dispose();
  }
});
