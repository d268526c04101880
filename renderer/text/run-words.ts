import type { RunState, RunSummary } from '@shared/views';
import type { IconName } from '../components/Icon';
import type { Text } from './en';

const icons: Record<RunState, IconName> = {
  created: 'pause',
  thinking: 'working',
  acting: 'working',
  sleeping: 'moon',
  waiting_host: 'unlinked',
  waiting_human: 'question',
  paused: 'pause',
  finished: 'done',
  stopped: 'stop',
  failed: 'warning',
  undriven: 'unlinked',
};

export interface RunWords {
  icon: IconName;
  /** What the run does: "Sleeping until 14:20". */
  state: string;
  /** Why, and for how long: "41 min left". */
  reason: string;
  tone: 'plain' | 'attention' | 'danger';
}

/**
 * The honest status of a run at `now` (ms since 1970), in words: always a reason and a time. `away`: the computers
 * that keep a waiting run from going on, where they are known.
 */
export function runWords(
  run: RunSummary,
  text: Text,
  now: number,
  away: readonly { name: string; health: { lastByteAt: number | null } | undefined }[] = [],
): RunWords {
  const { format } = text.common;
  const since = text.runs.since(format.duration(Math.floor((now - run.changedAt) / 1000) * 1000));
  const why = run.message !== null && run.message !== '' ? run.message : null;
  const named = run.reason === null ? null : text.runs.reason(run.reason);
  const base = { icon: icons[run.state], state: text.runs.state(run.state), tone: 'plain' as const };
  switch (run.state) {
    case 'sleeping':
      return {
        ...base,
        state: run.until === null ? base.state : text.runs.sleepingUntil(format.clock(run.until)),
        reason: run.until === null ? since : text.runs.left(format.duration(Math.max(0, run.until - now))),
      };
    case 'thinking':
    case 'acting':
      return { ...base, reason: `${text.runs.atStep(format.count(run.steps))}, ${since}` };
    case 'waiting_host': {
      if (away.length === 0)
        return { ...base, tone: 'attention', reason: [why ?? named, since].filter(Boolean).join(', ') };
      // A link's state changes with each try; its last byte tells since when it is away.
      const from = Math.min(...away.map(({ health }) => health?.lastByteAt ?? run.changedAt));
      const age = format.duration(Math.max(0, Math.floor((now - from) / 1000)) * 1000);
      return {
        ...base,
        tone: 'attention',
        state: text.computers.waitsFor(away.map(({ name }) => name).join(', ')),
        reason: text.computers.sinceClock(format.clock(from), age),
      };
    }
    case 'waiting_human':
      return {
        ...base,
        tone: 'attention',
        reason: [why ?? named, since].filter((part) => part !== null).join(', '),
      };
    case 'failed':
      return { ...base, tone: 'danger', reason: why ?? named ?? since };
    case 'undriven':
      return { ...base, tone: 'attention', reason: `${text.runs.undrivenText}, ${since}` };
    case 'created':
      return { ...base, reason: text.runs.createdText };
    case 'paused':
      return { ...base, reason: [named ?? why, since].filter((part) => part !== null).join(', ') };
    case 'finished':
    case 'stopped':
      return { ...base, reason: [named ?? why, format.when(run.changedAt, now)].filter(Boolean).join(', ') };
  }
}
