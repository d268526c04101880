import type { Text } from '../en';

export const prompt: Text['prompt'] = {
  title: '确切提示',
  of: (step) => `第 ${step} 步的确切提示`,
  view: '视图',
  messages: '消息',
  changesSince: (step) => (step === 0 ? '变化' : `自第 ${step} 步以来的变化`),
  request: '请求正文',
  added: (n, same) => `新增或更改 ${n} 条消息,之前 ${same} 条逐字节相同`,
  tokens: (n) => `约 ${n.toLocaleString('zh-CN')} 个 token`,
  ofLimit: (limit, left) =>
    `上下文上限 ${limit.toLocaleString('zh-CN')},剩余 ${left.toLocaleString('zh-CN')}`,
  parts: { system: '系统', tools: '工具', task: '任务', steps: '步骤', hints: '提示' },
  verified: '由日志重建,逐字节一致',
  differs: '重建的文本与发送的不同。运行 verify 查看位置。',
  hash: (short) => `sha256 ${short}`,
  message: '消息',
  head: '第一步之前',
  step: (n) => `第 ${n} 步`,
  showAll: (n) => `再显示 ${n.toLocaleString('zh-CN')} 个字符`,
};
