import type { Text } from '../en';
import { formatter } from '../format';

export const common: Text['common'] = {
  format: formatter({
    locale: 'zh-CN',
    second: '秒',
    minute: '分',
    hour: '小时',
    day: '天',
    now: '刚刚',
    unknown: '?',
  }),
  mod: 'Ctrl',
  shift: 'Shift',
  alt: 'Alt',
  enter: '↵',
  escape: 'Esc',
  close: '关闭',
  cancel: '取消',
  save: '保存',
  remove: '移除',
  retry: '重试',
  more: '更多',
  copy: '复制',
  copied: '已复制',
  copyDetails: '复制详情',
  unknown: '?',
  none: '无',
  loading: '正在读取…',
  dismiss: '知道了',
  failedTitle: '操作没有成功',
  steps: (n) => `${n.toLocaleString('zh-CN')} 步`,
};
