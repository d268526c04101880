import { z } from 'zod';

/**
 * Images that a run can hold and a model can be sent: PNG, JPEG, GIF and WebP. SVG is a program rather than a picture and is
 * none of them.
 */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** Largest image, bytes of the file. */
export const MAX_IMAGE_BYTES = 4 * 1024 * 1024;
/** Most pixels of an image, width × height: 64 MiB once it is decoded. */
export const MAX_IMAGE_PIXELS = 4_096 * 4_096;
/** Longest side of an image, pixels. */
export const MAX_IMAGE_SIDE = 16_384;

/** An image inside an event. The store keeps its bytes once, as a blob under `sha256`. */
export const imagePartSchema = z.object({
  /** What the model reads beside it: the path of the file, with its computer where that matters. */
  name: z.string(),
  mediaType: z.enum(imageTypes),
  /** As the file's own header says, pixels. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** Size of the file. */
  bytes: z.int().nonnegative(),
  /** Of the file. */
  sha256: z.string().length(64),
  /** The file in base64 with padding; '' once the run's texts were removed. */
  data: z.string(),
});
export type ImagePart = z.infer<typeof imagePartSchema>;

/** An image without its bytes: what lists and views carry. */
export type ImageRef = Omit<ImagePart, 'data'>;

export function imageRef({ data: _, ...ref }: ImagePart): ImageRef {
  return ref;
}

/** An image of a run, as a page shows it: the type was read off the bytes. */
export interface ImageBytes {
  mediaType: ImageType;
  bytes: Uint8Array;
}

/** `PNG`, `JPEG`, `GIF`, `WebP`. */
export function imageTypeName(type: ImageType): string {
  return type === 'image/webp' ? 'WebP' : type.slice('image/'.length).toUpperCase();
}

/** The address under which an image is sent (OpenAI's `image_url.url`). */
export function dataUrl({ mediaType, data }: Pick<ImagePart, 'mediaType' | 'data'>): string {
  return `data:${mediaType};base64,${data}`;
}
