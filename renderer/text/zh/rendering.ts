import type { Text } from '../en';

/** Names of the ways a text can be shown, by kind. */
const kinds: Record<string, string> = {
  ansi: '彩色',
  code: '代码',
  json: 'JSON',
  table: '表格',
  markdown: '排版',
  image: '图片',
};

export const rendering: Text['rendering'] = {
  shownAs: '显示方式',
  kind: (kind) => kinds[kind] ?? kind,
  raw: '原文',
  copy: '复制原文',
  copied: (size) => `已复制 ${size}`,
  find: '在此文本中搜索',
  hits: (at, of) => (of === 0 ? '无匹配' : `第 ${at} 个，共 ${of} 个`),
  nextHit: '下一个匹配',
  previousHit: '上一个匹配',
  closeFind: '关闭搜索',
  atLine: (line) => `第 ${line} 行`,
  showMore: (part, left) => `再显示 ${part}，剩余 ${left}`,
  members: (n, size) => `${n} 个成员，${size}`,
  moreMembers: (n) => `显示其余 ${n} 个中的更多`,
  moreCharacters: (n) => `再显示 ${n} 个字符`,
  tableOf: (rows, columns) => `表格，${rows} 行，${columns} 列`,
  moreRows: (n) => `显示其余 ${n} 行中的更多`,
  imageOf: (n, type, size) => `图片 ${n}，${type}，${size}`,
  imageFacts: (name, type, pixels, size) => `${name}，${type}，${pixels} 像素，${size}`,
  openImage: (name) => `按原始大小显示 ${name}`,
  openLink: (address) => `打开 ${address}（会先询问）`,
};
