import { expect, it } from 'vitest';
import { type Refusal, TerminalInput } from './terminal-input';

const encode = (text: string) => new TextEncoder().encode(text);
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

function stand() {
  const sent: string[] = [];
  const refused: [number, Refusal][] = [];
  const answers: { done: () => void; fail: (error: Error) => void }[] = [];
  const state = { open: true };
  const input = new TerminalInput({
    open: () => state.open,
    send: (bytes) => {
      sent.push(new TextDecoder().decode(bytes));
      return new Promise((resolve, reject) => answers.push({ done: resolve, fail: reject }));
    },
    sent: () => undefined,
    refused: (bytes, why) => refused.push([bytes, why]),
  });
  const type = (text: string) => input.type(encode(text));
  return { sent, refused, answers, state, type };
}

it('sends in order, one command at a time, and what came meanwhile together', async () => {
  const { sent, answers, type } = stand();
  for (const key of ['l', 's', ' ', '-', 'l', '\r']) type(key);
  expect(sent).toEqual(['l']);
  answers.shift()?.done();
  await settled();
  expect(sent).toEqual(['l', 's -l\r']);
});

it('cuts a long paste into pieces and loses none of it', async () => {
  const { sent, answers, type } = stand();
  const long = 'paste '.repeat(40_000);
  type(long);
  type('end');
  while (sent.join('').length < long.length + 3) {
    answers.shift()?.done();
    await settled();
  }
  expect(sent.join('')).toBe(`${long}end`);
  expect(Math.max(...sent.map(({ length }) => length))).toBe(64 * 1024);
});

it('refuses at once what a link that is not up would swallow', async () => {
  const { sent, refused, state, type } = stand();
  state.open = false;
  type('rm');
  expect(sent).toEqual([]);
  expect(refused).toEqual([[2, { kind: 'link' }]]);
  state.open = true;
  type('ls');
  expect(sent).toEqual(['ls']);
});

it('does not send later what waited behind a failure', async () => {
  const { sent, refused, answers, type } = stand();
  type('a');
  type('bc');
  answers.shift()?.fail(new Error('gpu-04 is away'));
  await settled();
  expect(sent).toEqual(['a']);
  expect(refused).toEqual([[3, { kind: 'failed', message: 'gpu-04 is away' }]]);
  type('d');
  expect(sent).toEqual(['a', 'd']);
});

it('refuses what would pile up without end', () => {
  const { sent, refused, type } = stand();
  type('x');
  for (let count = 0; count < 5; count += 1) type('y'.repeat(1024 * 1024));
  expect(sent).toHaveLength(1);
  expect(refused).toEqual([[1024 * 1024, { kind: 'full' }]]);
});
