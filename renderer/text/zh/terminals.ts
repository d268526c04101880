import type { Text } from '../en';

export const terminals: Text['terminals'] = {
  title: '终端',
};
