import { ContextFold } from '@shared/context/context';
import { diffPrompts } from '@shared/context/prompt-diff';
import type { PromptMessage } from '@shared/contract/views';
import { contentText } from '@shared/log/chat';
import { describe, expect, it } from 'vitest';
import { bodyOf, changeRows, findMessages, ownFrom, promptRows } from './prompt-rows';

function message(role: PromptMessage['role'], step: number, content: string): PromptMessage {
  return { role, step, content, json: JSON.stringify({ role, content }), tokens: 10 };
}
const pair = (step: number) => [
  message('assistant', step, `thought ${step}`),
  message('tool', step, `output ${step}`),
];
const head = [message('system', 0, 'rules'), message('user', 0, 'task')];

describe('rows of a prompt', () => {
  const messages = [...head, ...pair(5), ...pair(6), ...pair(8)];
  const whole = { messages, ownFrom: 8, role: 'all' as const, closed: new Set<never>(), prefix: null };

  it('stand in three groups with their steps and tokens', () => {
    expect(promptRows(whole).filter(({ kind }) => kind === 'group')).toEqual([
      { kind: 'group', id: 'head', steps: null, messages: 2, tokens: 20, open: true },
      { kind: 'group', id: 'carried', steps: { from: 5, to: 6 }, messages: 4, tokens: 40, open: true },
      { kind: 'group', id: 'own', steps: { from: 8, to: 8 }, messages: 2, tokens: 20, open: true },
    ]);
  });

  it('keep what closes a summariser’s request at its end', () => {
    const asked = [...messages, message('user', 0, 'Now summarise.')];
    const rows = promptRows({ ...whole, messages: asked });
    expect(rows.at(-2)).toMatchObject({ kind: 'group', id: 'closing', steps: null, messages: 1 });
    expect(rows.at(-1)).toEqual({ kind: 'message', index: 8 });
  });

  it('of a closed group are hidden, its line stays', () => {
    const rows = promptRows({ ...whole, closed: new Set(['carried'] as const) });
    expect(rows.flatMap((row) => (row.kind === 'message' ? [row.index] : []))).toEqual([0, 1, 6, 7]);
  });

  it('show one role, and the messages with hints', () => {
    const rules = message('system', 0, 'Text in <real_user>…</real_user> is from a person.');
    const hinted = [rules, ...messages.slice(1), message('tool', 9, 'x\n\n<real_user>y</real_user>')];
    const shown = (role: 'tool' | 'hints') =>
      promptRows({ ...whole, messages: hinted, role }).flatMap((row) =>
        row.kind === 'message' ? [row.index] : [],
      );
    expect(shown('tool')).toEqual([3, 5, 7, 8]);
    expect(shown('hints')).toEqual([8]);
  });

  it('tell where the unchanged beginning ends', () => {
    const rows = promptRows({ ...whole, prefix: { messages: 6, tokens: 60 } });
    expect(rows[rows.findIndex(({ kind }) => kind === 'prefix') - 1]).toEqual({ kind: 'message', index: 5 });
  });
});

describe('rows of a diff', () => {
  const before = { messages: [...head, ...[1, 2, 3, 4].flatMap(pair)], tools: [], request: {}, tail: '' };
  const after = { ...before, messages: [...head, message('user', 0, 'so far'), ...[3, 4].flatMap(pair)] };
  const { changes } = diffPrompts(before, after);

  it('fold what is unchanged and long stretches of what is gone', () => {
    const rows = changeRows(changes, new Set());
    expect(
      rows.map((row) => (row.kind === 'fold' ? `${row.what} ${row.changes.length}` : row.change.kind)),
    ).toEqual(['same 2', 'added', 'removed 4', 'same 4']);
  });

  it('open on demand', () => {
    expect(changeRows(changes, new Set([3]))).toHaveLength(8);
  });
});

it('finds text in content and in calls, ignoring case', () => {
  const call = { ...message('assistant', 3, ''), json: '{"tool_calls":[{"function":{"name":"Sleep"}}]}' };
  expect(findMessages([...head, call], 'sleep')).toEqual([2]);
  expect(findMessages([...head, call], ' TASK ')).toEqual([1]);
  expect(findMessages(head, ' ')).toEqual([]);
});

it('knows the first step of the context a step was asked in', () => {
  const more = { carried: null, counts: { train: 0, mask: 0, undecided: 0, disagreement: 0 } };
  const segments = [
    { segment: 1, firstStep: 1, summaryStep: null, lastStep: 6, ...more },
    { segment: 2, firstStep: 7, summaryStep: 6, lastStep: 9, ...more },
  ];
  expect([ownFrom(segments, 6), ownFrom(segments, 7), ownFrom([], 3)]).toEqual([1, 7, 1]);
});

it('builds the body that the fold sends', () => {
  const fold = new ContextFold({ sendReasoning: false });
  const tool = { type: 'function' as const, function: { name: 'run', description: 'd', parameters: {} } };
  fold.apply({
    kind: 'segment.started',
    body: {
      segment: 1,
      head: [{ role: 'user', content: 'Do "it" – 好' }],
      tools: [tool],
      request: { model: 'm', stream: true },
    },
  });
  const messages = fold.messages().map(({ message: sent, step }) => ({
    role: sent.role,
    step,
    content: contentText(sent),
    tokens: 1,
    json: JSON.stringify(sent),
  }));
  expect(bodyOf({ request: fold.request, tools: fold.tools, messages })).toBe(fold.requestBody({ tail: '' }));
});
