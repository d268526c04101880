import type { Text } from '../en';

export const importing: Text['importing'] = {
  title: '导入运行',
  intro:
    'ResearchGym 的节点、树或检查点文件夹会成为一个运行，与其他运行一样审阅。模型的每次调用是一步；这里没有位置的内容随该步保存。',
  file: '选择文件',
  folder: '选择文件夹',
  again: '这些文件以前导入过也照样导入',
  cancel: '取消导入',
  reading: (files, size) =>
    files === 0 ? '正在读取…' : `正在读取：已读 ${files.toLocaleString('zh-CN')} 个文件，${size}。`,
  storing: (percent) => `正在保存：已完成 ${percent}%。`,
  done: (steps, segments, hints) => `${steps.toLocaleString('zh-CN')} 步，${segments} 段，${hints} 条提示。`,
  left: '未导入的部分',
  imported: (title, steps, whole) =>
    `已导入 ${title}：${steps.toLocaleString('zh-CN')} 步。${whole ? '' : '部分内容未能导入。'}`,
  open: '打开运行',
};

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
