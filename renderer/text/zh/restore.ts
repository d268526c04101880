import type { Text } from '../en';

export const restore: Text['restore'] = {
  offer: '从备份恢复…',
  title: '从备份恢复',
  lead: '将用所选备份和所有仍完整的运行建立一个新文件夹。已损坏的文件夹不会改动。',
  backups: '备份',
  none: '没有备份。仍完整的运行无需备份也能恢复。',
  contents: (labels, hints, runs) => `${labels} 条标注，${hints} 条提示，${runs} 个运行`,
  by: (people) => `作者：${people}`,
  action: '选择新文件夹并恢复…',
  working: '正在恢复…',
  done: '已恢复',
  folder: '新文件夹',
  labels: '标注',
  hints: '提示',
  runs: '运行',
  untitled: '标题无法读取的运行',
  log: (steps, labels) => `已恢复，${steps} 步，${labels} 条标注`,
  lost: (labels) => (labels === 0 ? '未恢复' : `未恢复；${labels} 条标注另行保留`),
  removed: '此前已删除',
  rest: '未能恢复',
  remarks: '请检查',
};
