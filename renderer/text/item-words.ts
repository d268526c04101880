import type { AttentionItem } from '@shared/runs/attention/attention';
import type { Text } from './en';

/** One sentence about an item, in plain words. */
export function itemSentence({ kind, facts, open }: AttentionItem, text: Text, now: number): string {
  const { inbox, runs } = text;
  const { format } = text.common;
  const word = (value: AttentionItem['facts'][string] | undefined) => String(value ?? text.common.unknown);
  const number = (value: AttentionItem['facts'][string] | undefined) =>
    typeof value === 'number' ? format.count(value) : word(value);
  const score = (value: AttentionItem['facts'][string] | undefined) =>
    format.score(typeof value === 'number' ? value : null);
  const time = (value: AttentionItem['facts'][string] | undefined) => format.duration(Number(value ?? 0));
  switch (kind) {
    case 'asks_you':
      return inbox.asks;
    case 'failed':
      return inbox.failed(runs.reason(word(facts.reason)));
    case 'paused':
      return facts.reason === 'undriven' ? inbox.undriven : inbox.paused(runs.reason(word(facts.reason)));
    case 'host_lost':
      return word(facts.reason).startsWith('model_') ? inbox.modelLost : inbox.hostLost;
    case 'error_streak':
      return inbox.errors(number(facts.count), word(facts.code).replaceAll('_', ' '));
    case 'gpu_idle':
      return open
        ? inbox.gpuIdle(word(facts.computer), format.duration(minutes(now - Number(facts.since ?? now))))
        : inbox.gpuWasIdle(word(facts.computer), format.duration(minutes(Number(facts.ms ?? 0))));
    case 'score_dropped':
      return inbox.scoreFell(score(facts.from), score(facts.to), score(facts.best));
    case 'budget':
      return budget(facts, text);
    case 'finished':
      return facts.status === 'stopped'
        ? inbox.stopped
        : inbox.finished(score(facts.score), score(facts.best));
    case 'hint_delivered':
      return inbox.hints(Number(facts.count ?? 1));
    case 'secret_seen':
      return inbox.secretSeen(word(facts.kinds).split(' '));
    case 'stood_still':
      return inbox.stoodStill(time(facts.ms));
    case 'summary_lost':
      return inbox.summaryLost(Number(facts.count ?? 1));
    case 'impatience':
      return facts.how === 'killed'
        ? inbox.killedTraining(word(facts.session), time(facts.neededMs), time(facts.leftMs))
        : inbox.shortSleeps(number(facts.count));
    case 'contention':
      return facts.how === 'own'
        ? inbox.ownConflict(word(facts.session), word(facts.other), word(facts.computer))
        : inbox.takenGpu(
            word(facts.session),
            word(facts.gpu),
            word(facts.computer),
            format.bytes(Number(facts.usedMb ?? 0) * 1024 * 1024),
          );
    case 'forgotten_session':
      return inbox.forgotten(word(facts.session), word(facts.computer), number(facts.count));
    case 'template_thought':
      return facts.where === 'file'
        ? inbox.templateFile(word(facts.path))
        : inbox.templateThoughts(number(facts.count));
    case 'repeated_action':
      return inbox.repeated(word(facts.action), number(facts.count));
    case 'early_finish':
      return inbox.earlyFinish(score(facts.best), number(facts.tries), time(facts.leftMs));
  }
}

/** Whole minutes: seconds of something that lasts say nothing. */
const minutes = (ms: number) => ms - (ms % 60_000);

function budget(facts: AttentionItem['facts'], { inbox, common }: Text): string {
  const [used, limit] = [Number(facts.used ?? 0), Number(facts.limit ?? 0)];
  const name = String(facts.budget ?? '');
  const shown =
    name === 'time' ? common.format.duration : name === 'cost' ? common.format.money : common.format.count;
  return inbox.budget(name, shown(used), shown(limit));
}
