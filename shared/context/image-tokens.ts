import type { ImageRef } from '../log/image-part';

const BASE = 85;
const PER_TILE = 170;
const TILE = 512;
const LONG_SIDE = 2_048;
const SHORT_SIDE = 768;

/**
 * Tokens of an image by the rule that OpenAI states for high detail (guide "Images and vision", section "Calculating costs"):
 * it is scaled down into 2,048 × 2,048, then down until its shorter side is 768 pixels, and costs 85 tokens and 170 for each
 * tile of 512 × 512 that it touches. 1,024 × 1,024 are 765 tokens, 2,048 × 4,096 are 1,105. Other models count otherwise,
 * in the same order of magnitude; what an endpoint reports for a request replaces the estimate.
 */
export function imageTokens({ width, height }: Pick<ImageRef, 'width' | 'height'>): number {
  const fitted = Math.min(1, LONG_SIDE / Math.max(width, height));
  const scale = Math.min(fitted, SHORT_SIDE / Math.min(width, height));
  const tiles = (side: number) => Math.ceil(Math.max(1, Math.round(side * scale)) / TILE);
  return BASE + PER_TILE * tiles(width) * tiles(height);
}

/** Of several images; no images, no tokens. */
export function imagesTokens(images: readonly Pick<ImageRef, 'width' | 'height'>[] | undefined): number {
  return images === undefined ? 0 : images.reduce((sum, image) => sum + imageTokens(image), 0);
}
