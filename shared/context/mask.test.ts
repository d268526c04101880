import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotText } from '../labels/label-snapshot';
import type { EventBody } from '../log/events';
import { RunScript } from '../runs/run-fixtures';
import { maskTrajectory } from './mask';
import { type RowReasoning, type Trajectory, TrajectoryFold } from './trajectory';

const run = '01KRVN00000000000000000000';

function trajectoriesOf(script: RunScript, reasoning: RowReasoning = 'as-sent'): Trajectory[] {
  const fold = new TrajectoryFold({ reasoning });
  const found = script.events.flatMap((event) => fold.apply(event));
  return [...found, ...fold.end()];
}

const think = { name: 'think' };

describe('trajectories', () => {
  it('hold head, tools and own steps of each segment', () => {
    const script = new RunScript(run).startSegment().answer([think]).answer([think]);
    script.startSegment([
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: 'What I remember.' },
    ]);
    script.answer([think]);
    const [first, second] = trajectoriesOf(script);
    expect([first?.segment, first?.own, second?.segment, second?.own]).toEqual([1, [1, 2], 2, [3]]);
    expect(second?.messages.map(({ message, step }) => [message.role, step])).toEqual([
      ['user', 0],
      ['assistant', 0],
      ['assistant', 3],
      ['tool', 3],
    ]);
    expect(second?.tools.map((tool) => tool.function.name)).toEqual(['run_command']);
  });

  it('leave out a step that has not got all its observations', () => {
    const script = new RunScript(run).startSegment().answer([think]);
    script.answer([think, { ...think, unobserved: true }]);
    const [only] = trajectoriesOf(script);
    expect([only?.own, only?.unfinished, only?.messages.some(({ step }) => step === 2)]).toEqual([
      [1],
      [2],
      false,
    ]);
  });

  it('hold reasoning where it was sent, nowhere, or on every step, and say where that is not what was sent', () => {
    const script = new RunScript(run).startSegment();
    const { model } = script.events[0]?.body as EventBody<'run.created'>;
    const reasoning = (step: number) => ({ reasoning: `Because ${step}.` });
    script.answer([think], reasoning(1)).answer([think], reasoning(2));
    const sending = { ...model, sendReasoning: true };
    script.add('model.changed', { model: sending, request: { model: 'test-model' }, by: 'Ada' });
    script.answer([think], reasoning(3)).summarise(reasoning(4));
    script.add('model.changed', { model, request: { model: 'test-model' }, by: 'Ada' }).answer([think]);
    const found = (chosen: RowReasoning) =>
      trajectoriesOf(script, chosen).map(({ kind, messages, notAsSent }) => ({
        kind,
        held: messages.flatMap(({ message, step }) => ('reasoning_content' in message ? [step] : [])),
        notAsSent,
      }));
    const other = (messages: number[], steps: number[]) => [{ why: 'reasoning', messages, steps }];
    expect(found('as-sent')).toEqual([
      { kind: 'react', held: [1, 2, 3], notAsSent: other([2], [2]) },
      { kind: 'summary', held: [1, 4], notAsSent: [] },
      { kind: 'react', held: [], notAsSent: [] },
    ]);
    expect(found('drop')).toEqual([
      { kind: 'react', held: [], notAsSent: other([2, 4], [3]) },
      { kind: 'summary', held: [], notAsSent: other([1], [4]) },
      { kind: 'react', held: [], notAsSent: [] },
    ]);
    expect(found('keep')).toEqual([
      { kind: 'react', held: [1, 2, 3], notAsSent: other([2], [2]) },
      { kind: 'summary', held: [1, 4], notAsSent: [] },
      { kind: 'react', held: [2, 3], notAsSent: other([4, 6], [5]) },
    ]);
  });

  it('hold an observation as the last answered request held it, and name who was asked with more of it', () => {
    const script = new RunScript(run).startSegment();
    const long = 'abcdefghij'.repeat(1_000);
    script.answer([{ ...think, text: long }]).answer([think]);
    const cut = { segment: 1, step: 1, call: 0, keepEnd: 10, was: long.length };
    script.add('context.shortened', { ...cut, keepStart: 1_000 }).answer([think]);
    // For the summary that follows; no step was asked with it.
    script
      .add('context.shortened', { ...cut, keepStart: 10 })
      .summarise()
      .answer([think]);
    const [react, summary] = trajectoriesOf(script);
    const lengths = [react?.messages[3], summary?.messages[2]].map(
      (each) => each?.message.content.length ?? 0,
    );
    expect(lengths[0]).toBeGreaterThan(1_010);
    expect(lengths[1]).toBeLessThan(200);
    expect(react?.notAsSent).toEqual([{ why: 'shortened', messages: [3], steps: [2] }]);
    expect(summary?.notAsSent).toEqual([]);
  });
});

describe('masks', () => {
  it('train each step exactly once over all trajectories, whatever the labels', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
        (segments) => {
          const script = new RunScript(run);
          const labels: boolean[] = [];
          for (const steps of segments) {
            script.startSegment();
            for (const train of steps) {
              script.answer([think]);
              labels.push(train);
            }
          }
          const maskOf = (step: number) => (labels[step - 1] ? 1 : 0);
          const masked = trajectoriesOf(script).map((each) =>
            maskTrajectory(each, { maskOf, carried: 'once' }),
          );
          const wanted = labels.flatMap((train, index) => (train ? [index + 1] : []));
          expect(masked.flatMap(({ trained }) => trained)).toEqual(wanted);
          expect(masked.flatMap((each) => [...each.trained, ...each.masked]).length).toBe(labels.length);
          for (const message of masked.flatMap(({ messages }) => messages)) {
            if (message.role === 'assistant') expect(message).toHaveProperty('step_loss_mask');
            else expect(message).not.toHaveProperty('step_loss_mask');
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('give carried steps and the head 0, and train carried steps only as in the paper', () => {
    const [own] = trajectoriesOf(new RunScript(run).startSegment().answer([think]).answer([think]));
    if (!own) throw new Error('no trajectory');
    const head = { message: { role: 'assistant' as const, content: 'Summary' }, step: 0 };
    const carrying = { ...own, own: [2], carried: [1], messages: [head, ...own.messages] };
    const masks = (carried: 'once' | 'paper') =>
      maskTrajectory(carrying, { maskOf: () => 1, carried }).messages.flatMap((message) =>
        message.role === 'assistant' && 'step_loss_mask' in message ? [message.step_loss_mask] : [],
      );
    expect(masks('once')).toEqual([0, 0, 1]);
    expect(masks('paper')).toEqual([0, 1, 1]);
  });
});

describe('label snapshots', () => {
  it('do not depend on order or repetition, and do on every fact', () => {
    const set = {
      version: 'v',
      precedence: 'union' as const,
      rules: [{ id: 'r', version: 1, parameters: { m: 1, n: ['two'] } }],
    };
    const snapshot = {
      runs: [
        { run: 'a', seq: 1, rules: 'v' },
        { run: 'b', seq: 2, rules: 'v' },
      ],
      entries: ['x', 'y'],
      ruleSets: [set],
    };
    const text = snapshotText(snapshot);
    expect(
      snapshotText({
        ...snapshot,
        runs: [...snapshot.runs].reverse(),
        entries: ['y', 'x', 'y'],
        ruleSets: [{ ...set, rules: [{ id: 'r', version: 1, parameters: { n: ['two'], m: 1 } }] }],
      }),
    ).toBe(text);
    for (const other of [
      { ...snapshot, runs: [{ run: 'a', seq: 2, rules: 'v' }] },
      { ...snapshot, runs: [{ run: 'a', seq: 1, rules: 'w' }, ...snapshot.runs.slice(1)] },
      { ...snapshot, entries: ['x'] },
      { ...snapshot, ruleSets: [{ ...set, rules: [] }] },
      { ...snapshot, ruleSets: [{ ...set, precedence: 'judge_over_rule' as const }] },
    ]) {
      expect(snapshotText(other)).not.toBe(text);
    }
  });
});
