import { assertNever } from '@shared/contract/errors';
import type { RunSummary } from '@shared/contract/views';
import { type RunStatusWord, runStatus } from '@shared/runs/run-status';
import type { IconName } from '../components/Icon';
import type { Text } from './en';

const icons: Record<RunStatusWord, IconName> = {
  created: 'pause',
  thinking: 'working',
  acting: 'working',
  sleeping: 'moon',
  training: 'chip',
  waiting_host: 'unlinked',
  waiting_model: 'unlinked',
  waiting_human: 'question',
  paused: 'pause',
  finished: 'done',
  stopped: 'stop',
  failed: 'warning',
  undriven: 'unlinked',
  importing: 'working',
  import_broken: 'warning',
};

export interface RunWords {
  icon: IconName;
  /** What the run does: "Training on gpu-03". */
  state: string;
  /** Why, and for how long: "sleeps until 14:20 (41 min)". */
  reason: string;
  /** All that is known about it, for a tooltip; '' when `reason` says everything. */
  more: string;
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
  const words = text.runs;
  const joined = (...parts: (string | null)[]) =>
    text.common.list(parts.filter((part): part is string => part !== null && part !== ''));
  const { word, until, on, reason, message } = runStatus(run);
  const since = words.since(format.duration(Math.floor((now - run.changedAt) / 1000) * 1000));
  const left = until === null ? null : format.duration(Math.max(0, until - now));
  const named = reason === null ? null : words.reason(reason);
  const goesOn = on === null ? null : words.goesOn(on.session, on.computer);
  const base = { icon: icons[word], state: words.state(word), more: message ?? '', tone: 'plain' as const };
  switch (word) {
    case 'training':
      return {
        ...base,
        state: words.trainingOn(on?.computer ?? ''),
        reason: joined(until === null ? since : words.sleepsUntil(format.clock(until), left ?? '')),
        more: goesOn ?? '',
      };
    case 'sleeping':
      return {
        ...base,
        state: until === null ? base.state : words.sleepingUntil(format.clock(until)),
        reason: joined(left === null ? since : words.left(left), goesOn),
      };
    case 'thinking':
      return {
        ...base,
        reason: joined(
          words.atStep(format.count(run.steps)),
          until === null ? since : words.asksAgainAt(format.clockSeconds(until)),
        ),
        more: goesOn ?? '',
      };
    case 'acting':
      return { ...base, reason: joined(words.atStep(format.count(run.steps)), since), more: goesOn ?? '' };
    case 'waiting_host': {
      if (away.length === 0) return { ...base, tone: 'attention', reason: joined(message ?? named, since) };
      // A link's state changes with each try; its last byte tells since when it is away.
      const from = Math.min(...away.map(({ health }) => health?.lastByteAt ?? run.changedAt));
      const age = format.duration(Math.max(0, Math.floor((now - from) / 1000)) * 1000);
      return {
        ...base,
        tone: 'attention',
        state: text.computers.waitsFor(text.common.list(away.map(({ name }) => name))),
        reason: text.computers.sinceClock(format.clock(from), age),
      };
    }
    case 'waiting_model':
      return { ...base, tone: 'attention', reason: joined(named, since) };
    case 'waiting_human':
      return { ...base, tone: 'attention', reason: joined(message ?? named, since) };
    case 'failed':
      return { ...base, tone: 'danger', reason: message ?? named ?? since };
    case 'undriven':
      return { ...base, tone: 'attention', reason: joined(words.undrivenText, since) };
    case 'created':
      return { ...base, reason: words.createdText };
    case 'importing':
      return { ...base, reason: words.importingText };
    case 'import_broken':
      return { ...base, tone: 'attention', reason: words.importBrokenText };
    case 'paused':
      return {
        ...base,
        // A pause nobody asked for wants a person; so does one under which a command goes on.
        tone: reason === null || reason === 'asked' ? 'plain' : 'attention',
        // Nobody looks at its sessions while it rests.
        reason: joined(named ?? message, on === null ? null : words.ranLast(on.session, on.computer), since),
      };
    case 'finished':
    case 'stopped':
      return { ...base, reason: joined(named ?? message, format.when(run.changedAt, now)) };
    default:
      return assertNever(word, 'status of a run');
  }
}
