import type { Text } from '../en';

export const exporting: Text['exporting'] = {
  title: '导出',
};
