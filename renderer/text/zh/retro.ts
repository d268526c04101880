import type { Text } from '../en';

export const retro: Text['retro'] = {
  region: '与提示矛盾的步骤',
  asks: (hint, at) => `提示 ${hint} 与步骤 ${at} 矛盾？`,
  shares: (step, words) => `步骤 ${step}：${words}`,
  andMore: (n) => `另有 ${n} 步`,
  of: (n, all) => `第 ${n} 个，共 ${all} 个`,
  accept: (at) => `屏蔽 ${at}`,
  show: '显示',
  showText: '前往并选中这些步骤，以便修剪范围',
  trimming: 'j k 移动这一端，V 换到另一端，m 屏蔽，Esc 离开。',
  dismiss: '忽略',
  dismissed: (hint) => `不再询问提示 ${hint}`,
  none: '这里没有提示与步骤矛盾',
};
