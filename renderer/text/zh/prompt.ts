import type { Text } from '../en';

export const prompt: Text['prompt'] = {
  title: '完整提示词',
};
