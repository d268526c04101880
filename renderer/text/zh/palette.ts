import type { Text } from '../en';

export const palette: Text['palette'] = {
  title: '命令、步骤、运行',
  placeholder: '命令、步骤号或运行名',
  list: '匹配项',
  groups: { steps: '步骤', runs: '运行' },
  goToStep: (step) => `前往步骤 ${step}`,
  openRun: (number, title) => `运行 ${number}：${title}`,
  nothing: (query) => `没有匹配“${query}”的项`,
  count: (n) => `${n} 项`,
  foot: '上下键选择，Enter 执行，Esc 离开。',
};
