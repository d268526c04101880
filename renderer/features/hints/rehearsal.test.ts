import type { Failure } from '@shared/contract/errors';
import type { Rehearsal, RehearsalCost } from '@shared/contract/views';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { cancelTrial, closeTrial, openTrial, runTrial, useTrial } from './rehearsal';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const cost: RehearsalCost = { step: 12, inputTokens: 41_000, outputTokens: 400, cost: 0.12, model: 'm' };
const action = { text: '', reasoning: '', calls: [] };
const result: Rehearsal = { ...cost, without: action, with: action, paid: 0.11 };

beforeEach(() => useTrial.setState({ trial: null }));

describe('a trial of a draft', () => {
  it('tells the cost first and asks the model only when told to', async () => {
    const bridge = new BridgeStand({ 'hints.rehearsalCost': () => cost, 'hints.rehearse': () => result });
    await openTrial(run, 'Use all GPUs');
    expect(useTrial.getState().trial).toMatchObject({ phase: 'priced', cost, result: null });
    expect(bridge.calls.map(([name]) => name)).toEqual(['hints.rehearsalCost']);
    await runTrial();
    expect(useTrial.getState().trial).toMatchObject({ phase: 'done', result });
  });

  it('can be ended while the model answers; the late answer is dropped', async () => {
    let answer = (_: Rehearsal): void => undefined;
    const bridge = new BridgeStand({
      'hints.rehearsalCost': () => cost,
      'hints.rehearse': () => new Promise<Rehearsal>((resolve) => (answer = resolve)),
      'hints.cancelRehearsal': () => undefined,
    });
    await openTrial(run, 'x');
    const asked = runTrial();
    expect(useTrial.getState().trial?.phase).toBe('running');
    cancelTrial();
    answer(result);
    await asked;
    expect(useTrial.getState().trial).toMatchObject({ phase: 'priced', result: null });
    expect(bridge.calls.map(([name]) => name)).toContain('hints.cancelRehearsal');
  });

  it('is ended by leaving it, and only asks to end what is under way', async () => {
    const bridge = new BridgeStand({ 'hints.rehearsalCost': () => cost });
    await openTrial(run, 'x');
    closeTrial();
    await settled();
    expect(useTrial.getState().trial).toBeNull();
    expect(bridge.calls.map(([name]) => name)).not.toContain('hints.cancelRehearsal');
  });

  it('says why it failed and can be asked again', async () => {
    let fails = true;
    new BridgeStand({
      'hints.rehearsalCost': () => cost,
      'hints.rehearse': () => {
        if (fails) throw { code: 'model_unreachable', message: 'No answer.' } satisfies Failure;
        return result;
      },
    });
    await openTrial(run, 'x');
    await runTrial();
    expect(useTrial.getState().trial).toMatchObject({ phase: 'failed', failure: { message: 'No answer.' } });
    fails = false;
    await runTrial();
    expect(useTrial.getState().trial).toMatchObject({ phase: 'done', failure: null });
  });
});
