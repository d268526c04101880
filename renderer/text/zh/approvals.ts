import type { Text } from '../en';

export const approvals: Text['approvals'] = {
  title: (step) => `步骤 ${step} 需要你的批准。`,
  allow: '允许',
  allowKind: '本次运行中允许',
  allowKindText: (kinds) => `在本次运行的剩余时间内，以下命令不再询问：${kinds}。`,
  kindAllowed: (kinds) => `本次运行中以下命令不再询问：${kinds}。`,
  takeBack: '恢复询问',
  kindsItem: '哪些命令无需询问…',
  kindsItemText: '本次运行中已允许的命令种类。',
  kindsTitle: '本次运行中已允许',
  kindsText: '这些种类的命令会直接执行，直到你选择“恢复询问”。',
  noKinds: '目前只有只读命令。当询问中列出某种命令时，你可以在本次运行中允许该种命令。',
  aid: '审批只是辅助手段，不是安全保障。真正的边界是命令运行所在的账户或沙箱。',
  deny: '拒绝',
  denyText: '智能体会得知有人拒绝了此动作。',
  more: (n) => `还有 ${n} 个`,
  run: (title) => `在 ${title} 中：`,
};
