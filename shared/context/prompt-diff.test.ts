import { describe, expect, it } from 'vitest';
import type { PromptMessage, PromptView } from '../contract/views';
import { hintBlock } from './human-tag';
import { diffPrompts } from './prompt-diff';

type Request = Pick<PromptView, 'messages' | 'tools' | 'request' | 'tail'>;

function message(role: PromptMessage['role'], step: number, content: string): PromptMessage {
  return { role, step, content, json: JSON.stringify({ role, content }), tokens: 10 };
}

function request(messages: PromptMessage[], change: Partial<Request> = {}): Request {
  const tail = change.tail ?? '';
  const last = messages.at(-1);
  const sent =
    last === undefined || tail === ''
      ? messages
      : [...messages.slice(0, -1), message(last.role, last.step, last.content + tail)];
  return { tools: [], request: { model: 'm' }, tail, ...change, messages: sent };
}

const head = [message('system', 0, 'rules'), message('user', 0, 'task')];
const pair = (step: number, output = `output ${step}`) => [
  message('assistant', step, `thought ${step}`),
  message('tool', step, output),
];

describe('diff of two requests', () => {
  it('of the next step: the budgets moved on, one answer and its observation are new', () => {
    const before = request([...head, ...pair(1)], { tail: '\n[1 h left]' });
    const after = request([...head, ...pair(1), ...pair(2)], { tail: '\n[59 min left]' });
    const diff = diffPrompts(before, after);
    expect(diff.prefix).toEqual({ messages: 3, tokens: 30 });
    expect(diff.changes).toEqual([
      { kind: 'same', before: 0, after: 0 },
      { kind: 'same', before: 1, after: 1 },
      { kind: 'same', before: 2, after: 2 },
      { kind: 'changed', before: 3, after: 3, reason: { why: 'budgets' } },
      { kind: 'added', after: 4 },
      { kind: 'added', after: 5 },
    ]);
    expect(diff.replaced).toBeNull();
  });

  it('tells what a hint added, under the budgets of either request', () => {
    const hint = hintBlock(['Use all GPUs']);
    const before = request([...head, ...pair(1)], { tail: '\n[1 h]' });
    const after = request([...head, ...pair(1, `output 1${hint}`)], { tail: '\n[2 h]' });
    expect(diffPrompts(before, after).changes[3]).toEqual({
      kind: 'changed',
      before: 3,
      after: 3,
      reason: { why: 'hint', text: hint },
    });
  });

  it('tells what a shortened observation lost', () => {
    const long = `${'a'.repeat(1000)}${'b'.repeat(5000)}${'c'.repeat(1000)}`;
    const short = `${'a'.repeat(1000)}\n[5,000 characters left out]\n${'c'.repeat(1000)}`;
    const diff = diffPrompts(request([...head, ...pair(1, long)]), request([...head, ...pair(1, short)]));
    expect(diff.changes[3]).toEqual({
      kind: 'changed',
      before: 3,
      after: 3,
      reason: { why: 'shortened', was: 7000, kept: 2000, cut: 'b'.repeat(5000) },
    });
  });

  it('takes another text for another text', () => {
    const diff = diffPrompts(request([...head, ...pair(1, 'abc')]), request([...head, ...pair(1, 'xyz')]));
    expect(diff.changes[3]).toMatchObject({ reason: { why: 'text' } });
  });

  it('tells what a summary stands for and what is carried', () => {
    const steps = [1, 2, 3, 4].flatMap((step) => pair(step));
    const summary = [message('assistant', 0, 'summary of 1–2'), message('user', 0, 'output 2')];
    const diff = diffPrompts(request([...head, ...steps]), request([...head, ...summary, ...steps.slice(4)]));
    expect(diff.replaced).toEqual({ from: 1, to: 2, messages: 4, tokens: 40 });
    expect(diff.prefix.messages).toBe(2);
    expect(diff.changes.map(({ kind }) => kind)).toEqual([
      ...['same', 'same', 'added', 'added'],
      ...['removed', 'removed', 'removed', 'removed'],
      ...['same', 'same', 'same', 'same'],
    ]);
  });

  it('has no common prefix when tools or parameters changed, because they are sent before the messages', () => {
    const tool = (name: string, description: string) => ({
      type: 'function' as const,
      function: { name, description, parameters: {} },
    });
    const before = request(head, {
      tools: [tool('run', 'a'), tool('gone', '')],
      request: { model: 'm', seed: 1 },
    });
    const after = request(head, { tools: [tool('run', 'b'), tool('new', '')], request: { model: 'n' } });
    const diff = diffPrompts(before, after);
    expect(diff.prefix.messages).toBe(0);
    expect(diff.tools).toEqual({ added: ['new'], removed: ['gone'], changed: ['run'] });
    expect(diff.parameters).toEqual([
      { name: 'model', before: '"m"', after: '"n"' },
      { name: 'seed', before: '1', after: null },
    ]);
    expect(diff.changes.every(({ kind }) => kind === 'same')).toBe(true);
  });

  it('names every message of both requests exactly once', () => {
    const before = request([...head, ...[1, 2, 3, 5].flatMap((step) => pair(step))]);
    const after = request(
      [head[0], ...[2, 3, 4, 5, 6].flatMap((step) => pair(step, `new ${step}`))].flatMap((m) => m ?? []),
    );
    const { changes } = diffPrompts(before, after);
    const olds = changes.flatMap((change) => ('before' in change ? [change.before] : []));
    const news = changes.flatMap((change) => ('after' in change ? [change.after] : []));
    expect(olds).toEqual(before.messages.map((_, index) => index));
    expect(news).toEqual(after.messages.map((_, index) => index));
  });

  it('of a hundred thousand tokens names what was replaced', () => {
    const text = (step: number) => `line of output ${step}\n`.repeat(135);
    const steps = Array.from({ length: 160 }, (_, index) => pair(index + 1, text(index))).flat();
    const before = request([...head, ...steps], { tail: '\n[1 h]' });
    const after = request([...head, message('user', 0, 'so far'), ...steps.slice(160)], { tail: '\n[2 h]' });
    expect(before.messages.reduce((sum, { content }) => sum + content.length, 0)).toBeGreaterThan(380_000);
    const diff = diffPrompts(before, after);
    expect(diff.replaced).toMatchObject({ from: 1, to: 80, messages: 160 });
  });
});
