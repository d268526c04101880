import { textDigest } from '../../base/text-digest';
import type { Detector } from './detector';

const TIMES = 3;
/** Steps kept per finding. */
const MOST_STEPS = 20;
/** Waiting and thinking are no repeated action, and do not end a row of them. */
const PASSED_OVER: ReadonlySet<string> = new Set(['think', 'sleep']);

interface State {
  digest: number;
  name: string;
  count: number;
  steps: number[];
}

/** How long something took differs every time, although nothing else does. */
const withoutDurations = (text: string) => text.replace(/\b\d+(?:\.\d+)? ?(?:ms|s|min|h)\b/g, '#');

export const repeatedAction: Detector<State> = {
  id: 'repeated_action',
  version: 1,
  text: 'The same action with the same arguments gave the same observation three times in a row.',
  citation: 'InnovatorBench §5.4, degraded memory and attention',
  parameters: { times: TIMES },
  start: () => ({ digest: 0, name: '', count: 0, steps: [] }),
  look(state, event, { action }) {
    if (event.kind !== 'action.observed' || action === null) return [];
    const { body } = event;
    if (PASSED_OVER.has(body.name) || body.closedBy === 'not_run') return [];
    const digest = textDigest(`${action.name} ${action.digest} ${withoutDurations(body.text)}`);
    if (digest === state.digest && state.count > 0) {
      state.count += 1;
      state.steps = [...state.steps.slice(-(MOST_STEPS - 1)), body.step];
      return state.count < TIMES ? [] : [found(state, true)];
    }
    const over = state.count >= TIMES ? [found(state, false)] : [];
    Object.assign(state, { digest, name: body.name, count: 1, steps: [body.step] });
    return over;
  },
};

function found({ name, count, steps, digest }: State, open: boolean) {
  return {
    // What was done and what it gave name the finding: the same row later is the same finding again.
    key: `${digest}`,
    step: steps.at(-1) ?? 0,
    steps: [...new Set(steps)],
    facts: { action: name, count },
    open,
  };
}
