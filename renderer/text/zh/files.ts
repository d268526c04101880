import type { Text } from '../en';

export const files: Text['files'] = {
  title: '文件',
};
