import type { OwnPlace } from '@shared/contract/ipc/terminals';

/** Smaller than this nobody sees what they type, device-independent pixels. */
const least = { width: 160, height: 80 } as const;

interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Where the view goes when the page has left this room for it: within the window's content, in whole device-independent
 * pixels. Null when what is left of it is too small to be typed into with open eyes.
 */
export function boundsWithin(
  place: Omit<OwnPlace, 'id'>,
  zoom: number,
  content: { width: number; height: number },
): Bounds | null {
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, Math.round(value * zoom)));
  const x = clamp(place.x, content.width);
  const y = clamp(place.y, content.height);
  const width = clamp(place.x + place.width, content.width) - x;
  const height = clamp(place.y + place.height, content.height) - y;
  return width < least.width || height < least.height ? null : { x, y, width, height };
}
