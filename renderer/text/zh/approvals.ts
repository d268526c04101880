import type { Text } from '../en';

export const approvals: Text['approvals'] = {
  title: (step) => `步骤 ${step} 需要你的批准。`,
  allow: '允许',
  deny: '拒绝',
  denyText: '智能体会得知有人拒绝了此动作。',
  more: (n) => `还有 ${n} 个`,
  run: (title) => `在 ${title} 中：`,
};
