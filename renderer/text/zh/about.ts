import type { Text } from '../en';

export const about: Text['about'] = {
  title: '关于 Waymark',
};
