import type { Text } from '../en';

export const rehearsal: Text['rehearsal'] = {
  title: '试用草稿',
  text: '你的草稿',
  asks: (model, step) =>
    `用步骤 ${step} 的上下文和这份草稿询问 ${model} 一次，把回答与当时的回答并排显示。不执行任何动作，也不记入运行。`,
  pricing: '正在估算费用…',
  cost: (input, output, money) => `约输入 ${input}、输出 ${output} 个词元，${money}`,
  atMost: (money) => `最多 ${money}`,
  noPrice: '费用未知：此模型没有设置价格',
  run: '询问模型',
  again: '再问一次',
  running: '模型正在作答…',
  stop: '停止询问',
  nothingRun: '没有执行任何动作。',
  nothingRunText: (step) => `两者都是对步骤 ${step} 上下文的回答。运行照常进行，如同你没有问过。`,
  paid: (money) => `本次试用花费 ${money}。`,
  without: '没有提示',
  withoutNote: (step) => `步骤 ${step} 的实际动作`,
  with: '有提示',
  withNote: '仅作显示',
  sameAction: '模型会做同样的事。',
  otherAction: '模型会做别的事；不同之处已标出。',
  noCall: '无动作',
  reasoning: '推理',
  queue: '将此提示加入队列',
  failed: '试用失败。',
};
