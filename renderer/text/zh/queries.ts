import type { Text } from '../en';

export const queries: Text['queries'] = {
  title: '网页与搜索',
};
