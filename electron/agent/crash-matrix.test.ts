import { spentIn } from '@shared/log/event-fixtures';
import type { ModelRef } from '@shared/log/event-parts';
import type { EventBody } from '@shared/log/events';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScriptedAnswer, ScriptedRequest } from '../model/scripted-answer';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { isSummaryRequest, scriptedSummary } from '../model/scripted-summary';
import { type CrashMoment, CrashPoints } from '../testing/crash-points';
import { LoopStand } from '../testing/loop-stand';
import { call } from '../testing/scripted-answers';
import type { CheckpointPort } from './ports';

/** The points of the story below, one a line; a story that passes fewer or others fails (`vitest -u` writes it anew). */
const committed = './crash-points.txt';

const filler = 'The tray is described at length so that the context fills up. '.repeat(40);
const answers: ScriptedAnswer[] = [
  { text: 'Two at once.', calls: [call('put', { item: 'a' }), call('put', { item: 'b' })] },
  { text: 'Nothing to call.' },
  { text: `One good, one bad. ${filler}`, calls: [call('put', { item: 'c' }), call('nonsense')] },
  { text: 'Not allowed.', calls: [call('forbidden')] },
  { text: `Dangerous. ${filler}`, calls: [call('danger')] },
  { text: 'A nap.', calls: [call('sleep', { sleep_time: 0 })] },
  { text: `It falls. ${filler}`, calls: [call('crash')] },
  { text: `Look. ${filler}`, calls: [call('list')] },
  { text: 'Put.', calls: [call('put', { item: 'd' })] },
  { text: 'Done.', calls: [call('finish')] },
].map((answer, index) => ({ ...answer, text: `${index + 1}: ${answer.text}` }));

/**
 * Far from every size that the story asks with, by at least 80 tokens: a death may let the other model answer a step earlier, whose
 * count of tokens then holds from there on, and the context must still fill up in the same step.
 */
const CONTEXT_TOKENS = 2_520;

/** How many answers the agent has given, by the latest that stands in the context. */
function givenIn({ messages }: ScriptedRequest): number {
  const said = messages.flatMap(({ role, content }) =>
    role === 'assistant' ? [/^(\d+): /u.exec(content)] : [],
  );
  return Math.max(0, ...said.map((match) => Number(match?.[1] ?? 0)));
}

let model: ScriptedModel;
/** The story that runs now; the scripted model tells it how far it is. */
let asked: (request: ScriptedRequest) => ScriptedAnswer = () => ({});

beforeAll(async () => {
  model = await startScriptedModel({ policy: (request) => asked(request) });
});
afterAll(() => model.close());

/** One life of the story: hints come, are edited and withdrawn, a person allows what is dangerous, the model stumbles once. */
async function live(at: CrashMoment | null) {
  const points = new CrashPoints(at);
  let driver = points;
  const stand = new LoopStand({
    model,
    approvals: 'on',
    contextTokens: CONTEXT_TOKENS,
    wrap: (ports) => driver.wrap({ ...ports, checkpoint: keeper(stand), running: async () => 'nothing' }),
  });
  const once = new Set<string>();
  const first = (what: string, act: () => void) => {
    if (!once.has(what)) {
      once.add(what);
      act();
    }
  };
  stand.hint('begin well');
  asked = (request) => {
    if (isSummaryRequest(request)) {
      // The first summary is refused: it says nothing about the hints.
      const refused = !once.has('summary');
      once.add('summary');
      return scriptedSummary(request, refused ? { hypotheses: '' } : {});
    }
    const given = givenIn(request);
    if (given === 2) {
      first('two hints', () => {
        const hint = stand.hint('use a tray');
        const gone = stand.hint('never mind');
        stand.log.post({ op: 'hint.edited', hint, text: 'use the big tray' });
        stand.log.post({ op: 'hint.withdrawn', hint: gone });
      });
    }
    if (given === 3 && !once.has('stumbled')) {
      once.add('stumbled');
      return { text: 'cut', fault: { kind: 'truncate' } };
    }
    if (given === 5) {
      first('changes', () => {
        stand.log.post({ op: 'run.limits', limits: { maxSteps: 50, maxTokens: 1_000_000 } });
        stand.log.post({ op: 'run.model', model: otherModel });
      });
    }
    if (given === 7) first('a late hint', () => void stand.hint('look again'));
    return answers[Math.min(given, answers.length - 1)] ?? {};
  };
  const allow = setInterval(() => allowDanger(stand), 1);
  try {
    const ended = stand.drive().then(() => 'ended' as const);
    const how = await Promise.race([ended, points.died.then(() => 'died' as const)]);
    if (how === 'died') {
      driver = new CrashPoints(null);
      expect(await stand.drive()).toBe('finished');
    }
    return { stand, points, how };
  } finally {
    clearInterval(allow);
  }
}

const otherModel: ModelRef = {
  endpoint: 'other',
  baseUrl: 'http://127.0.0.1:1/v1',
  model: 'other',
  keyRef: null,
  params: {},
  contextTokens: CONTEXT_TOKENS,
  sendReasoning: false,
};

/** Copies nothing, and says what it would keep. */
function keeper(stand: LoopStand): CheckpointPort {
  return {
    every: 4,
    final: true,
    asked: () => [],
    make: async ({ step, why, note }) => ({
      kind: 'checkpoint.made',
      body: {
        checkpoint: ulid(),
        step,
        why,
        note,
        workspace: null,
        sessions: [],
        durationMs: 0,
        message: stand.tray.items.join(','),
        spent: spentIn(step),
      },
    }),
  };
}

function allowDanger(stand: LoopStand): void {
  const decided = new Set(
    stand.log.entries.flatMap(({ body }) => ('approval' in body ? [body.approval] : [])),
  );
  for (const { approval } of stand.of('approval.asked')) {
    if (!decided.has(approval)) {
      stand.log.post({ op: 'approval.decided', approval, decision: 'allow' });
      decided.add(approval);
    }
  }
}

/**
 * What a segment goes on from, without hints: one that came while an answer was on its way may stand a step earlier. A death
 * costs tokens and time, and lines on budgets say so.
 */
function goesOnFrom(head: EventBody<'segment.started'>['head']): string {
  const content = head.at(-1)?.content ?? '';
  return content.replace(/\s*<real_user>.*?<\/real_user>|\s*\[Budget: [^\]]*\]/gsu, '');
}

/** Everything that must be the same whether or not the process died on the way. */
const story = (stand: LoopStand) => ({
  items: stand.tray.items,
  answers: stand.of('model.answered').map(({ step, text, calls }) => [step, text, calls.length]),
  observations: stand.of('action.observed').map(({ step, call: index, text }) => [step, index, text]),
  taught: stand.of('step.taught').map(({ step }) => step),
  hints: stand.of('hint.delivered').flatMap(({ hints }) => hints.map(({ text }) => text)),
  decided: stand.of('approval.decided').map(({ decision }) => decision),
  summaries: stand.of('summary.started').map(({ steps, carried, pair }) => [steps, carried, pair]),
  segments: stand.of('segment.started').map(({ segment, head }) => [segment, goesOnFrom(head)]),
  changes: [stand.of('model.changed').length, stand.of('limits.changed').length],
  checkpoints: stand.of('checkpoint.made').map(({ step, why, message }) => [step, why, message]),
  scores: stand.of('evaluation.ended').filter(({ forced }) => forced).length,
  end: stand.of('run.status').at(-1),
});

it('goes on after a death at any call of any port: nothing lost, doubled or out of order', async () => {
  const whole = await live(null);
  expect(whole.how).toBe('ended');
  const expected = story(whole.stand);
  expect(expected.hints).toEqual(['begin well', 'use the big tray', 'look again']);
  expect(expected.summaries.length).toBeGreaterThan(1);
  expect(expected.changes).toEqual([1, 1]);
  expect(expected.checkpoints.length).toBeGreaterThan(2);
  const points = [...new Set(whole.points.passed.map(({ point }) => point))].sort();
  await expect(`${points.join('\n')}\n`).toMatchFileSnapshot(committed);
  for (const moment of moments(whole.points.passed)) {
    const { stand, how } = await live(moment);
    const where = `${moment.point}, time ${moment.time}`;
    expect(how, where).toBe('died');
    expect(story(stand), where).toEqual(expected);
    expect(stand.unverified(), where).toBe(0);
    expect(
      stand.log.events.map(({ seq }) => seq),
      where,
    ).toEqual(stand.log.events.map((_, index) => index + 1));
  }
}, 900_000);

/** The first and the last time of every point; all times in full runs. */
function moments(passed: readonly CrashMoment[]): CrashMoment[] {
  if (process.env.WAYMARK_FULL === '1') return [...passed];
  const last = new Map(passed.map(({ point, time }) => [point, time]));
  return passed.filter(({ point, time }) => time === 1 || time === last.get(point));
}
