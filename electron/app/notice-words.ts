import type { AttentionItem } from '@shared/runs/attention/attention';

type Facts = AttentionItem['facts'];

export interface NoticeWords {
  item(item: Pick<AttentionItem, 'kind' | 'facts'>): string;
  more(count: number): string;
}

const forModel = (facts: Facts) => String(facts.reason ?? '').startsWith('model_');
const minutes = (facts: Facts) => Math.round(Number(facts.ms ?? 0) / 60_000);
const points = (value: string | number | null | undefined) =>
  typeof value === 'number' ? value.toFixed(1) : '–';

function english({ kind, facts }: Pick<AttentionItem, 'kind' | 'facts'>): string {
  switch (kind) {
    case 'asks_you':
      return 'asks for your approval.';
    case 'failed':
      return 'has failed.';
    case 'paused':
      return facts.reason === 'undriven' ? 'is no longer being driven.' : 'has paused and waits for you.';
    case 'host_lost':
      return forModel(facts)
        ? 'waits for its model, which cannot be reached.'
        : 'waits for a computer that cannot be reached.';
    case 'error_streak':
      return `${facts.count} steps in a row have failed.`;
    case 'gpu_idle':
      return `the GPUs of ${facts.computer} have been idle for 10 minutes.`;
    case 'secret_seen':
      return 'has seen a secret, which is in its log now.';
    case 'score_dropped':
      return `the score fell from ${points(facts.from)} to ${points(facts.to)}.`;
    case 'budget':
      return 'four fifths of a budget are used.';
    case 'finished':
      return facts.status === 'stopped' ? 'was stopped.' : `has finished with ${points(facts.score)} points.`;
    case 'hint_delivered':
      return 'your hint is in its context.';
    case 'stood_still':
      return `was suspended for ${minutes(facts)} min while this machine slept.`;
    case 'summary_lost':
      return 'a summary left something out.';
    case 'impatience':
      return facts.how === 'killed' ? 'ended its own training early.' : 'sleeps too short while it trains.';
    case 'contention':
      return `started a job on a GPU of ${facts.computer} that is in use.`;
    case 'forgotten_session':
      return `has not looked at session ${facts.session} for ${facts.count} steps.`;
    case 'template_thought':
      return 'reasons from a template.';
    case 'repeated_action':
      return `repeats ${facts.action} with the same result.`;
    case 'early_finish':
      return 'finished although time and evaluations are left.';
  }
}

function chinese({ kind, facts }: Pick<AttentionItem, 'kind' | 'facts'>): string {
  switch (kind) {
    case 'asks_you':
      return '需要你批准一个操作。';
    case 'failed':
      return '已失败。';
    case 'paused':
      return facts.reason === 'undriven' ? '已没有进程驱动它。' : '已暂停，等待你处理。';
    case 'host_lost':
      return forModel(facts) ? '正在等待模型，目前无法连接。' : '正在等待一台无法连接的计算机。';
    case 'error_streak':
      return `连续 ${facts.count} 步失败。`;
    case 'gpu_idle':
      return `${facts.computer} 的 GPU 已空闲 10 分钟。`;
    case 'secret_seen':
      return '看到了机密，机密已进入其日志。';
    case 'score_dropped':
      return `得分从 ${points(facts.from)} 降到 ${points(facts.to)}。`;
    case 'budget':
      return '某项预算已用去五分之四。';
    case 'finished':
      return facts.status === 'stopped' ? '已停止。' : `已完成，得分 ${points(facts.score)}。`;
    case 'hint_delivered':
      return '你的提示已进入上下文。';
    case 'stood_still':
      return `此机器休眠期间停顿了 ${minutes(facts)} 分钟。`;
    case 'summary_lost':
      return '一次摘要遗漏了内容。';
    case 'impatience':
      return facts.how === 'killed' ? '提前终止了自己的训练。' : '训练时等待时间过短。';
    case 'contention':
      return `在 ${facts.computer} 正被占用的 GPU 上启动了作业。`;
    case 'forgotten_session':
      return `已有 ${facts.count} 步未查看会话 ${facts.session}。`;
    case 'template_thought':
      return '正在套用模板推理。';
    case 'repeated_action':
      return `重复执行 ${facts.action}，结果相同。`;
    case 'early_finish':
      return '在仍有时间和评测次数时就结束了。';
  }
}

/** What a notification of the system says, after the run's title. */
export const noticeWords: Record<'en' | 'zh', NoticeWords> = {
  en: { item: english, more: (count) => (count === 1 ? '1 more thing.' : `${count} more things.`) },
  zh: { item: chinese, more: (count) => `另有 ${count} 件事。` },
};
