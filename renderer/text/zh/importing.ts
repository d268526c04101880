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
  open: '打开运行',
};
