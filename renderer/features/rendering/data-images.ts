export interface DataImage {
  /** A `data:` address of an allowed type whose first bytes are those of that type. */
  source: string;
  type: string;
  /** Bytes. */
  size: number;
}

export const MAX_IMAGES = 8;
/** Base64 units; about 6 MB. */
const MAX_IMAGE = 8 * 1024 * 1024;

/** How each type's base64 begins. */
const beginnings: Record<string, RegExp> = {
  png: /^iVBORw0KGgo/,
  jpeg: /^\/9j\//,
  gif: /^R0lGOD[dl]h/,
  webp: /^UklGR.{8}V0VCU/,
};

function dataImage(type: string, base64: string): DataImage | null {
  const kind = type.toLowerCase() === 'jpg' ? 'jpeg' : type.toLowerCase();
  const begins = Object.hasOwn(beginnings, kind) ? beginnings[kind] : undefined;
  if (begins === undefined || base64.length > MAX_IMAGE || !begins.test(base64)) return null;
  return {
    source: `data:image/${kind};base64,${base64}`,
    type: kind,
    size: Math.floor((base64.replace(/=+$/, '').length * 3) / 4),
  };
}

export interface TextAndImages {
  /** The text, each image in it replaced by `[image N]`. */
  text: string;
  images: DataImage[];
}

/** Takes `data:` images out of a text; what is too large or not what it says stays as text. */
export function imagesIn(text: string): TextAndImages {
  if (!text.includes('data:image/')) return { text, images: [] };
  const images: DataImage[] = [];
  const left = text.replace(/data:image\/([a-z]+);base64,([A-Za-z0-9+/]+={0,2})/gi, (whole, type, base64) => {
    const image = images.length < MAX_IMAGES ? dataImage(type, base64) : null;
    if (image === null) return whole;
    images.push(image);
    return `[image ${images.length}]`;
  });
  return { text: left, images };
}

/** Images that an observation carries beside its text: `data:` addresses, or base64 with its media type. */
export function imagesOf(data: Record<string, unknown>): DataImage[] {
  const found: DataImage[] = [];
  let left = 2000;
  const walk = (value: unknown, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > 6 || found.length >= MAX_IMAGES) return;
    if (typeof value === 'string') {
      if (value.startsWith('data:image/')) found.push(...imagesIn(value).images);
    } else if (Array.isArray(value)) for (const item of value) walk(item, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      const each = value as Record<string, unknown>;
      const type = /^image\/([a-z]+)$/i.exec(String(each.media_type ?? each.mimeType ?? ''))?.[1];
      const image = type !== undefined && typeof each.data === 'string' ? dataImage(type, each.data) : null;
      if (image !== null) found.push(image);
      else for (const item of Object.values(each)) walk(item, depth + 1);
    }
  };
  walk(data, 0);
  return found.slice(0, MAX_IMAGES);
}
