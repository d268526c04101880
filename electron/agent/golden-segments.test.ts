import { messageTokens } from '@shared/context/context-entry';
import { hintBlock } from '@shared/context/human-tag';
import { toolTokens } from '@shared/context/tokens';
import { type Trajectory, TrajectoryFold } from '@shared/context/trajectory';
import type { ChatMessage } from '@shared/log/chat';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedModel, type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import { isSummaryRequest, scriptedSummary } from '../model/scripted-summary';
import { LoopStand } from '../testing/loop-stand';

/** Recorded input of one step: lengths of thought and observations, and a hint that comes while it acts. */
interface Recorded {
  thought: number;
  observations: number[];
  hint: boolean;
}

const LIMIT = 5_000;
const MAX_STEPS = 500;

const recorded: fc.Arbitrary<Recorded[]> = fc.array(
  fc.record({
    thought: fc.integer({ min: 1, max: 2_000 }),
    observations: fc.array(fc.integer({ min: 1, max: 1_500 }), { maxLength: 2 }),
    hint: fc.boolean(),
  }),
  { minLength: 10, maxLength: 40 },
);

const thoughtOf = (step: number, { thought }: Recorded) => `Thought ${step}. ${'t'.repeat(thought)}`;
const textOf = (step: number, call: number, size: number) =>
  `Observation ${step}.${call} ${'o'.repeat(size)}`;
const hintOf = (step: number) => `Hint ${step}`;

let model: ScriptedModel;
let policy: ScriptedPolicy = () => ({});
beforeAll(async () => {
  model = await startScriptedModel({ policy: (request) => policy(request) });
});
afterAll(() => model.close());

/** The real loop on the recorded inputs. */
async function sampled(inputs: readonly Recorded[]): Promise<LoopStand> {
  let taken = 0;
  policy = (request) => {
    if (isSummaryRequest(request)) return { ...scriptedSummary(request), usage: null };
    taken += 1;
    const input = inputs[taken - 1];
    if (input === undefined) return { calls: [{ name: 'finish', arguments: {} }], usage: null };
    const calls = input.observations.map((_, call) => ({
      name: 'list',
      id: `c${taken}.${call}`,
      arguments: '{}',
    }));
    return { text: thoughtOf(taken, input), calls, usage: null };
  };
  const limits = { maxSteps: MAX_STEPS, maxWorkingMs: 3_630_000 };
  const stand = new LoopStand({ model, contextTokens: LIMIT, limits });
  const number = new Map<number, number>();
  stand.log.beforeCommit = (events) => {
    for (const event of events) {
      if (event.kind !== 'model.answered' || event.body.kind === 'summary') continue;
      const nth = number.get(event.body.step) ?? number.size + 1;
      if (number.has(event.body.step)) continue;
      number.set(event.body.step, nth);
      if (inputs[nth - 1]?.hint) stand.hint(hintOf(nth));
    }
  };
  stand.actions.run = async (call, { step, call: index }) => {
    const nth = number.get(step) ?? 0;
    const text = textOf(nth, index, inputs[nth - 1]?.observations[index] ?? 0);
    const outcome = { ok: true, error: null, text, data: {}, closedBy: 'run' as const, events: [] };
    return { ...outcome, ends: call.name === 'finish' ? 'finish' : null };
  };
  expect(await stand.drive()).toBe('finished');
  expect(stand.unverified()).toBe(0);
  return stand;
}

interface Entry {
  messages: ChatMessage[];
  observation: string;
}

/** APOLLO Algorithm 1, part A, line by line, over whole messages; Σ and the teaching sentence are looked up in the log. */
function algorithm1(
  inputs: readonly Recorded[],
  log: LoopStand,
): { react: ChatMessage[][]; summary: ChatMessage[][] } {
  const first = log.of('segment.started')[0];
  const summaries = log.of('segment.started').slice(1);
  const turns = log.of('summary.started');
  const taught = log.of('step.taught')[0]?.text ?? '';
  const size = (messages: readonly ChatMessage[]) =>
    messages.reduce((sum, each) => sum + messageTokens(each), 0);
  const o0: ChatMessage[] = [...(first?.head ?? [])];
  let tau: Entry[] = [];
  const react: ChatMessage[][] = [];
  const summary: ChatMessage[][] = [];
  let steps = 0;
  const whole = () => [...o0, ...tau.flatMap(({ messages }) => messages)];
  const line = () =>
    `\n\n[Budget: 1 h 0 min of working time, ${MAX_STEPS - steps} steps and 3 of 3 evaluations left.]`;
  // l. 4: η·L counts tools and the line on budgets too.
  const tokens = () => toolTokens(first?.tools ?? []) + size(whole()) + Math.ceil(line().length / 3.6);
  // Each request's last message keeps its line.
  const request = () => {
    const last = tau.at(-1);
    const messages = last?.messages ?? o0;
    const message = messages.pop();
    if (message !== undefined) messages.push({ ...message, content: message.content + line() });
    if (last !== undefined) last.observation += line();
  };
  for (const [index, input] of [...inputs, null].entries()) {
    while (tokens() > LIMIT) {
      const k = Math.floor(tau.length / 2);
      const part = tau.slice(0, k);
      const o_k = part.at(-1)?.observation ?? '';
      react.push(whole());
      const turn = turns[summary.length];
      const [said, goOn] = (summaries[summary.length]?.head ?? []).slice(-2);
      const introduced = goOn?.content.slice(0, goOn.content.indexOf('\n\n')) ?? '';
      summary.push([
        ...(turn?.head ?? []),
        ...part.flatMap(({ messages }) => messages),
        { role: 'user', content: turn?.closing ?? '' },
      ]);
      const pair: ChatMessage[] = [
        { role: 'assistant', content: said?.content ?? '' },
        { role: 'user', content: `${introduced}\n\n${o_k}` },
      ];
      tau = [{ messages: pair, observation: o_k }, ...tau.slice(k)];
    }
    request();
    if (input === null) break;
    steps += 1;
    const step = index + 1;
    const u = input.hint ? hintBlock([hintOf(step)]) : '';
    const texts = input.observations.map((length, call) => textOf(step, call, length));
    const last = texts.length - 1;
    const calls = texts.map((_, call) => ({
      id: `c${step}.${call}`,
      type: 'function' as const,
      function: { name: 'list', arguments: '{}' },
    }));
    const answer: ChatMessage = {
      role: 'assistant',
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      content: thoughtOf(step, input),
    };
    const results = texts.map(
      (text, call): ChatMessage => ({
        role: 'tool',
        tool_call_id: `c${step}.${call}`,
        content: text + (call === last ? u : ''),
      }),
    );
    const teaching: ChatMessage[] = calls.length > 0 ? [] : [{ role: 'user', content: taught + u }];
    const several = texts.length > 1;
    const observation =
      calls.length === 0
        ? taught + u
        : texts
            .map((text, call) => (several ? `[${call + 1} of ${texts.length}]\n${text}` : text))
            .join('\n\n') + u;
    tau.push({ messages: [answer, ...results, ...teaching], observation });
  }
  react.push(whole());
  return { react, summary };
}

function trajectories(log: LoopStand): Trajectory[] {
  const fold = new TrajectoryFold({ reasoning: 'as-sent' });
  return [...log.log.events.flatMap((event) => fold.apply(event)), ...fold.end()];
}

it('the trajectories are those of Algorithm 1, on any recorded input', async () => {
  let turns = 0;
  await fc.assert(
    fc.asyncProperty(recorded, async (inputs) => {
      const log = await sampled(inputs);
      const found = trajectories(log);
      const golden = algorithm1(inputs, log);
      const react = found.filter(({ kind }) => kind === 'react');
      const summary = found.filter(({ kind }) => kind === 'summary');
      expect(react.length).toBe(summary.length + 1);
      const finishing = log.of('model.answered').at(-1)?.step ?? 0;
      const contents = (each: Trajectory) =>
        each.messages.filter(({ step }) => step !== finishing).map(({ message }) => message);
      expect(react.map(contents)).toEqual(golden.react);
      // The summariser's answer is last, and it alone was sampled there.
      expect(summary.map(({ messages }) => messages.slice(0, -1).map(({ message }) => message))).toEqual(
        golden.summary,
      );
      expect(summary.every(({ messages, own }) => messages.at(-1)?.step === own[0] && own.length === 1)).toBe(
        true,
      );
      const sampledSteps = react.flatMap(({ own }) => own);
      expect(new Set(sampledSteps).size).toBe(inputs.length + 1);
      turns += summary.length;
    }),
    { numRuns: 30 },
  );
  expect(turns).toBeGreaterThan(60);
}, 300_000);
