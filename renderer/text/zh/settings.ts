import type { Text } from '../en';

export const settings: Text['settings'] = {
  title: '设置',
};
