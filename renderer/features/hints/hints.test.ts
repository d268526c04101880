import type { Failure } from '@shared/contract/errors';
import type { HintView } from '@shared/log/outbox';
import { nextStep } from '@shared/runs/hint-queue';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { useToasts } from '../../state/toasts';
import { en } from '../../text/en';
import { zh } from '../../text/zh';
import { changeDraft, noDraft, useHintDraft } from './hint-draft';
import {
  editHint,
  judgeHint,
  loadHints,
  moveHint,
  queueDraft,
  queueOf,
  useHints,
  withdrawHint,
} from './hints';
import { hintWaitWords } from './wait-words';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const now = Date.UTC(2026, 10, 21, 12);

function hint(number: number, change: Partial<HintView> = {}): HintView {
  return {
    id: `hint-${number}`,
    number,
    text: `text ${number}`,
    category: 'strategy',
    state: 'queued',
    author: 'Ada',
    queuedAt: now,
    deliver: nextStep,
    due: null,
    verdict: null,
    step: null,
    prompt: null,
    deliveredAt: null,
    position: number,
    ...change,
  };
}

const late = (code: Failure['code']): Failure => ({ code, message: 'no longer in the queue' });
let bridge: BridgeStand;

function stand(answers: ConstructorParameters<typeof BridgeStand>[0]): void {
  bridge = new BridgeStand({
    'hints.list': () => ({ run, hints: [], textToSend: '', waitsFor: null }),
    ...answers,
  });
}

function called(command: string): unknown[] {
  return bridge.calls.filter(([name]) => name === command).map(([, input]) => input);
}

function said(): string[] {
  return useToasts.getState().toasts.map((toast) => toast.say(en));
}

beforeEach(() => {
  Object.assign(globalThis, {
    localStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
  });
  useHintDraft.setState({ run, draft: noDraft });
  useToasts.setState({ toasts: [] });
  useHints.setState({ hints: null });
});

describe('queueing the draft', () => {
  it('sends text, kind and delivery, and empties the composer when it is durable', async () => {
    stand({ 'hints.queue': () => hint(1) });
    changeDraft({ text: ' Use all GPUs ', category: 'correction', deliver: { when: 'wake' } });
    await queueDraft(run);
    expect(called('hints.queue')).toMatchObject([
      { run, text: 'Use all GPUs', category: 'correction', deliver: { when: 'wake' } },
    ]);
    expect(useHintDraft.getState().draft.text).toBe('');
    expect(said()).toEqual(['Hint 1 queued']);
  });

  it('keeps the draft when it fails, and asks again under the same id', async () => {
    let fails = true;
    stand({
      'hints.queue': () => {
        if (fails) throw late('disk_full');
        return hint(1);
      },
    });
    changeDraft({ text: 'Use all GPUs' });
    await expect(queueDraft(run)).rejects.toThrow();
    expect(useHintDraft.getState().draft.text).toBe('Use all GPUs');
    fails = false;
    await queueDraft(run);
    const [first, second] = called('hints.queue') as { hint: string }[];
    expect(first?.hint).toHaveLength(26);
    expect(second?.hint).toBe(first?.hint);
  });

  it('keeps what is typed while the answer is on its way', async () => {
    stand({
      'hints.queue': () => {
        changeDraft({ text: 'and the next one' });
        return hint(1);
      },
    });
    changeDraft({ text: 'first' });
    await queueDraft(run);
    expect(useHintDraft.getState().draft.text).toBe('and the next one');
  });
});

describe('changing a queued hint', () => {
  it('says in words that it came too late, changes nothing and reads the list again', async () => {
    stand({
      'hints.edit': () => {
        throw late('hint_already_delivered');
      },
      'hints.withdraw': () => {
        throw late('hint_withdrawn');
      },
    });
    const change = { text: 'b', category: 'other', deliver: nextStep } as const;
    expect(await editHint(run, hint(7), change)).toBe('delivered');
    expect(said()[0]).toContain('Too late: hint 7');
    expect(await withdrawHint(run, hint(7))).toBe('withdrawn');
    await settled();
    expect(called('hints.list').length).toBeGreaterThan(0);
  });

  it('does not hide other failures', async () => {
    stand({
      'hints.withdraw': () => {
        throw late('read_only');
      },
    });
    await expect(withdrawHint(run, hint(7))).rejects.toThrow('no longer in the queue');
  });

  it('puts a hint before the one at its new place, or at the end', async () => {
    stand({ 'hints.move': () => undefined });
    const queue = [hint(1), hint(2), hint(3)];
    const [first, second, third] = queue as [HintView, HintView, HintView];
    await moveHint(run, queue, third, 0);
    await moveHint(run, queue, first, 1);
    await moveHint(run, queue, first, 9);
    await moveHint(run, queue, second, 1);
    expect(called('hints.move')).toEqual([
      { run, hint: 'hint-3', before: 'hint-1' },
      { run, hint: 'hint-1', before: 'hint-3' },
      { run, hint: 'hint-1', before: null },
    ]);
  });

  it('takes a verdict and gives it back', async () => {
    stand({ 'hints.verdict': () => undefined });
    await judgeHint(run, hint(2), 'ignored');
    await judgeHint(run, hint(2), null);
    expect(called('hints.verdict')).toMatchObject([{ verdict: 'ignored' }, { verdict: null }]);
  });
});

describe('the queue', () => {
  it('stands in sending order, without what left it', async () => {
    stand({
      'hints.list': () => ({
        run,
        hints: [
          hint(1, { position: 2 }),
          hint(2, { state: 'delivered', position: null }),
          hint(3, { position: 1 }),
        ],
        textToSend: '',
        waitsFor: null,
      }),
    });
    loadHints(run);
    await settled();
    expect(queueOf(useHints.getState().hints).map(({ number }) => number)).toEqual([3, 1]);
  });
});

describe('why a hint waits', () => {
  const sleeping = {
    run,
    hints: [],
    textToSend: '',
    waitsFor: { reason: 'sleep' as const, until: now + 41 * 60_000 },
  };

  it('is the sleep of the agent, with clock and rest', () => {
    expect(hintWaitWords(hint(1), sleeping, en, now)).toMatch(
      /^Waiting: the agent is asleep until \d\d:\d\d \(41 min\)$/,
    );
    expect(hintWaitWords(hint(1, { deliver: { when: 'wake' } }), sleeping, en, now)).toContain('wakes it');
  });

  it('is its own condition until that has come true, then both', () => {
    const conditional = hint(1, { deliver: { when: 'gpu_idle', computer: 'gpu-03', minutes: 10 } });
    expect(hintWaitWords(conditional, sleeping, en, now)).toBe(
      'Waiting until the GPUs of gpu-03 have been idle for 10 min',
    );
    const due = { ...conditional, due: 'GPUs of gpu-03 idle since 12:00' };
    expect(hintWaitWords(due, sleeping, en, now)).toMatch(
      /^Now due, GPUs of gpu-03 .* Waiting: the agent is asleep/,
    );
  });

  it('has words for every reason and every delivery in both languages', () => {
    const reasons = [
      'model',
      'action',
      'sleep',
      'paused',
      'undriven',
      'ended',
      'condition',
      'host',
      'human',
    ] as const;
    const deliveries: HintView['deliver'][] = [
      nextStep,
      { when: 'wake' },
      { when: 'session_idle', computer: '', session: '' },
      { when: 'session_idle', computer: 'gpu-03', session: 'train' },
      { when: 'score_changes' },
      { when: 'gpu_idle', computer: '', minutes: 10 },
      { when: 'error_streak', steps: 3 },
    ];
    for (const text of [en, zh])
      for (const reason of reasons)
        for (const deliver of deliveries) {
          const words = hintWaitWords(
            hint(1, { deliver }),
            { ...sleeping, waitsFor: { reason, until: null } },
            text,
            now,
          );
          expect(words, `${reason} ${deliver.when}`).not.toBe('');
        }
  });
});
