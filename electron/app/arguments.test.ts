import { expect, it } from 'vitest';
import { developmentServer } from './arguments';

it('knows no development address once it is packed', () => {
  const env = { ELECTRON_RENDERER_URL: 'http://127.0.0.1:5173' };
  expect(developmentServer(false, env)).toBe('http://127.0.0.1:5173');
  expect(developmentServer(false, {})).toBeNull();
  expect(developmentServer(true, env)).toBeNull();
});
