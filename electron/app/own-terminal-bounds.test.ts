import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsWithin } from './own-terminal-bounds';

const content = { width: 1280, height: 800 };

test('room of the page becomes whole pixels of the window, at its zoom', () => {
  const place = { x: 100.4, y: 50.2, width: 400, height: 200 };
  expect(boundsWithin(place, 1, content)).toEqual({ x: 100, y: 50, width: 400, height: 200 });
  expect(boundsWithin(place, 1.5, content)).toEqual({ x: 151, y: 75, width: 600, height: 300 });
});

test('what reaches over the edge is cut, and what is left too small to see is nowhere', () => {
  expect(boundsWithin({ x: -50, y: -50, width: 400, height: 200 }, 1, content)).toEqual({
    x: 0,
    y: 0,
    width: 350,
    height: 150,
  });
  expect(boundsWithin({ x: 1200, y: 0, width: 400, height: 200 }, 1, content)).toBe(null);
  expect(boundsWithin({ x: 0, y: 0, width: 159, height: 400 }, 1, content)).toBe(null);
  expect(boundsWithin({ x: 0, y: 0, width: -400, height: -400 }, 1, content)).toBe(null);
});

test('whatever the page says, the view is within the window and large enough, or nowhere', () => {
  const pixel = fc.double({ min: -100_000, max: 100_000, noNaN: true });
  fc.assert(
    fc.property(pixel, pixel, pixel, pixel, fc.constantFrom(0.25, 1, 5), (x, y, width, height, zoom) => {
      const bounds = boundsWithin({ x, y, width, height }, zoom, content);
      if (bounds === null) return;
      expect(Object.values(bounds).every(Number.isInteger)).toBe(true);
      expect(Math.min(bounds.x, bounds.y)).toBeGreaterThanOrEqual(0);
      expect(bounds.x + bounds.width).toBeLessThanOrEqual(content.width);
      expect(bounds.y + bounds.height).toBeLessThanOrEqual(content.height);
      expect(bounds.width).toBeGreaterThanOrEqual(160);
      expect(bounds.height).toBeGreaterThanOrEqual(80);
    }),
  );
});
