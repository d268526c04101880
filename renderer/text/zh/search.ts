import type { GivenUp, IndexProgress, SearchField, SearchProblem } from '@shared/contract/search/views';
import type { Text } from '../en';

const fields: Record<SearchField, string> = {
  thought: '思考',
  arguments: '参数',
  observation: '观察',
  hint: '提示',
  file: '文件',
};
const number = (n: number) => n.toLocaleString('zh-CN');

export const search: Text['search'] = {
  run: '搜索此运行',
  workspace: '搜索所有运行',
  nothing: '搜索',
  place: (at: number, total: number) => `第 ${number(at)} 个，共 ${number(total)} 个`,
  none: '无匹配',
  next: '下一个匹配',
  previous: '上一个匹配',
  clear: '清除搜索',
  stop: '停止查找',
  results: '搜索结果',
  scope: '搜索范围',
  scopeRun: '此运行',
  scopeAll: '所有运行',
  total: (n: number) => `${number(n)} 步`,
  lines: (n: number) => `终端中 ${number(n)} 行`,
  atLeast: (n: number) => `目前 ${number(n)} 个`,
  field: (field: SearchField) => fields[field],
  segment: (n: number) => `第 ${n} 段`,
  terminals: '终端',
  moreOfRun: (n: number) => `此运行中还有 ${number(n)} 个`,
  moreRuns: (n: number) => `还有 ${number(n)} 个运行有匹配。`,
  tooMany: (n: number) => `只列出前 ${number(n)} 个，全部已计数。`,
  scannedSteps: (n: number, of: number) => `已查看 ${number(of)} 步中的 ${number(n)} 步`,
  scannedBytes: (done: string, of: string) => `终端 ${done} / ${of}`,
  stopped: '已停止',
  progress: ({ steps, behind }: IndexProgress) =>
    `正在建立索引 ${Math.floor(steps === 0 ? 0 : ((steps - behind) / steps) * 100)}%，还剩 ${number(behind)} 步`,
  behind: (n: number) => `还有 ${number(n)} 步未编入索引。`,
  emptyTitle: '无匹配',
  emptyText: '已搜索思考、参数、观察、提示、文件和终端。',
  hiddenTitle: (n: number) => `筛选隐藏了 ${number(n)} 个匹配`,
  hiddenBy: (filters: string) => `筛选条件：${filters}。`,
  hidden: (n: number) => `另有 ${number(n)} 个被筛选隐藏`,
  showAll: '显示所有步骤',
  searchAll: '搜索所有运行',
  recent: '最近搜索',
  help: '词、"短语"、前缀*、-排除、thought: args: obs: hint: file:、/正则/i',
  problem: (problem: SearchProblem): string => {
    switch (problem.code) {
      case 'too_short':
        return `只有一个字母（${problem.word}）无法搜索。请再输入一个，或加引号作为整词查找。`;
      case 'no_word':
        return '没有可搜索的字母或数字。要查找符号，请输入正则：/==/';
      case 'only_excluded':
        return '减号只能去除匹配。请再加一个必须出现的词。';
      case 'bad_pattern':
        return problem.at === null
          ? `这不是正则表达式：${problem.message}。`
          : `这不是正则表达式，见第 ${problem.at + 1} 个字符：${problem.message}。`;
      case 'bad_flag':
        return `标志 ${problem.flag} 在此无效或重复。可用 i、m、s 和 u。`;
    }
  },
  givenUp: ({ why, pattern, step }: GivenUp) =>
    why === 'whole'
      ? `已放弃 /${pattern}/：超过三分钟。请写得更精确。`
      : `已放弃 /${pattern}/：${step === null ? '终端的一行' : `第 ${number(step)} 步`}就超过两秒。请减少重复中的重复。`,
  go: (step: number) => `前往第 ${step} 步`,
  announce: (total: string) => `搜索：${total}。`,
};
