import type { Text } from '../en';

export const newRun: Text['newRun'] = {
  title: '新建运行',
};
