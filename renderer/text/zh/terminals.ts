import type { Text } from '../en';

export const terminals: Text['terminals'] = {
  title: '终端',
  sessions: '会话',
  when: '时刻',
  live: '实时',
  atStep: (step) => `第 ${step} 步时`,
  counts: (hosts, sessions) => `${hosts} 台计算机,${sessions} 个会话`,
  screenOf: (name) => `终端 ${name},只读`,
  silent: '尚无输出',
  exited: (code) => `退出码 ${code}`,
  states: {
    idle: '空闲',
    busy: '忙碌',
    waiting: '等待输入',
    interactive: '交互中',
    ended: '已结束',
    lost: '已丢失',
    unknown: '已记录',
  },
  emptyTitle: '还没有会话',
  emptyText: '智能体打开第一个会话后,终端会显示在这里。',
  notYetTitle: '此步骤时尚未打开',
  notYetText: '此会话是之后打开的。请选择其他会话或其他步骤。',
};
