import { expect, test } from 'vitest';
import { cookieFile, hasDisplay } from './display.mjs';
import { parseMissing } from './linux-libraries.mjs';

test('only Linux can be without a display', () => {
  expect(hasDisplay({}, 'darwin')).toBe(true);
  expect(hasDisplay({}, 'linux')).toBe(false);
  expect(hasDisplay({ DISPLAY: ':1' }, 'linux')).toBe(true);
  expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
});

test('the cookie file is one entry for every host and display', () => {
  const bytes = cookieFile(Buffer.alloc(16, 7));
  expect(bytes.toString('hex')).toBe(
    `ffff000000000012${Buffer.from('MIT-MAGIC-COOKIE-1').toString('hex')}0010${'07'.repeat(16)}`,
  );
});

test('the libraries that ldd did not find', () => {
  const output =
    '\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n\tlibnss3.so => not found\n\tlibgbm.so.1 => not found\n';
  expect(parseMissing(output)).toEqual(['libnss3.so', 'libgbm.so.1']);
});
