import type { ElectronApplication, Locator, Page } from '@playwright/test';

/** A picture without colour: brightness 0 to 255 of each pixel, row by row. */
export interface Grey {
  width: number;
  data: Uint8Array;
}

/** Where something is drawn and where not, a pixel an entry; not how bright it is. */
export type Shape = readonly boolean[];

/** The page as a printer without colour would show it. The application's own decoder reads the picture. */
export async function greyPicture(app: ElectronApplication, page: Page): Promise<Grey> {
  const png = (await page.screenshot({ scale: 'css' })).toString('base64');
  const { width, height, pixels } = await app.evaluate(({ nativeImage }, picture) => {
    const image = nativeImage.createFromBuffer(Buffer.from(picture, 'base64'));
    return { ...image.getSize(), pixels: image.toBitmap().toString('base64') };
  }, png);
  const colours = Buffer.from(pixels, 'base64');
  const data = new Uint8Array(width * height);
  for (let at = 0; at < data.length; at += 1) {
    const [blue = 0, green = 0, red = 0] = colours.subarray(4 * at, 4 * at + 3);
    data[at] = Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  }
  return { width, data };
}

/**
 * The shape of what is drawn in a box of the picture. Its ground is the brightness most of its pixels around it have (`ground`),
 * and a pixel belongs to the shape when it lies at least half as far from the ground as the farthest one: the same drawing in
 * another colour, or paler, is the same shape.
 */
export async function shapeOf(grey: Grey, drawn: Locator, ground: Locator): Promise<Shape> {
  const pixels = await pixelsOf(grey, drawn);
  const counts = new Map<number, number>();
  for (const value of await pixelsOf(grey, ground)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [most = [0, 0]] = [...counts].sort(([, a], [, b]) => b - a);
  const far = pixels.map((value) => Math.abs(value - most[0]));
  const farthest = Math.max(...far);
  return far.map((each) => farthest > 0 && each >= farthest / 2);
}

async function pixelsOf({ width, data }: Grey, drawn: Locator): Promise<number[]> {
  const box = await drawn.boundingBox();
  if (box === null) throw new Error('Nothing is drawn there.');
  const [left, top] = [Math.round(box.x), Math.round(box.y)];
  const pixels: number[] = [];
  for (let y = top; y < top + Math.round(box.height); y += 1) {
    for (let x = left; x < left + Math.round(box.width); x += 1) pixels.push(data[y * width + x] ?? 0);
  }
  return pixels;
}

/** Pixels that are drawn in one of two shapes of the same size and not in the other. */
export function apart(one: Shape, other: Shape): number {
  if (one.length !== other.length) throw new Error(`Shapes of ${one.length} and ${other.length} pixels.`);
  return one.filter((drawn, at) => drawn !== other[at]).length;
}
