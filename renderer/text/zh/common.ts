import type { Text } from '../en';
import { formatter } from '../format';

export const common: Text['common'] = {
  list: (facts) => facts.join('，'),
  format: formatter({
    locale: 'zh-CN',
    millisecond: '毫秒',
    second: '秒',
    minute: '分钟',
    hour: '小时',
    day: '天',
    now: '刚刚',
    unknown: '?',
  }),
  mod: 'Ctrl',
  shift: 'Shift',
  alt: 'Alt',
  escape: 'Esc',
  close: '关闭',
  cancel: '取消',
  save: '保存',
  remove: '移除',
  more: '更多',
  copyDetails: '复制详情',
  unknown: '?',
  none: '无',
  loading: '正在读取…',
  dismiss: '知道了',
  steps: (n) => `${n.toLocaleString('zh-CN')} 步`,
};
