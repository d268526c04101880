import type { Text } from '../en';

export const queries: Text['queries'] = {
  title: '搜索查询',
  step: '步骤',
  action: '操作',
  query: '查询',
  where: '位置',
  hits: '命中',
  emptyTitle: '尚无搜索',
  emptyText: '智能体搜索文件、文件夹或网络后，查询会显示在这里。',
};
