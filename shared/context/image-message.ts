import type { ContentPart, PlacedMessage } from '../log/chat';
import { dataUrl, type ImagePart, imageTypeName } from '../log/image-part';
import { escapeHumanTag } from './human-tag';

/** An image as it stands in the context. */
export interface PlacedImage {
  image: ImagePart;
  /** Requests only name it by now: newer images took the room (`context.images_left_out`). */
  leftOut: boolean;
}

/**
 * A user message that shows images: one `image_url` part for each, then one text part, which names them and ends with
 * what else stands in it: `taught` (what teaches) and `added` (hints, budgets; with their own space before them). A model that
 * takes no images reads the text alone, which then says that they are not shown; so does the text of those that were left out.
 */
export function imageMessage(
  images: readonly PlacedImage[],
  { taught, added }: { taught: string; added: string },
  show: boolean,
): Pick<PlacedMessage, 'message' | 'images'> {
  const said = imagesText(images, show) + (taught === '' ? '' : `\n\n${taught}`) + added;
  const shown = show ? shownOf(images) : [];
  return shown.length > 0 ? shownWith(shown, said) : { message: { role: 'user', content: said } };
}

/** The images before a text that names them already. */
export function shownWith(
  images: readonly ImagePart[],
  text: string,
): Pick<PlacedMessage, 'message' | 'images'> {
  const shown = images.map(
    (image): ContentPart => ({ type: 'image_url', image_url: { url: dataUrl(image) } }),
  );
  return { message: { role: 'user', content: [...shown, { type: 'text', text }] }, images };
}

/** Those that are still sent. */
export function shownOf(images: readonly PlacedImage[]): ImagePart[] {
  return images.flatMap(({ image, leftOut }) => (leftOut ? [] : [image]));
}

/** One line for each image, as the model reads it. */
export function imagesText(images: readonly PlacedImage[], shown = true): string {
  return images
    .map(({ image, leftOut }, index) => {
      const number = images.length > 1 ? ` ${index + 1}` : '';
      const why = shown ? (leftOut ? LEFT_OUT : '') : ' Not shown: this model takes no images.';
      return `[Image${number}: ${described(image)}${why}]`;
    })
    .join('\n');
}

const LEFT_OUT = ' No longer shown: newer images took its place. Open it again if you need it.';

function described({ name, mediaType, width, height }: ImagePart): string {
  return `${escapeHumanTag(name)}, ${imageTypeName(mediaType)}, ${width} × ${height} pixels.`;
}

/** A text that names these images as shown, once they were left out. What was shortened away stays away. */
export function namedAsLeftOut(text: string, images: readonly ImagePart[]): string {
  let said = text;
  for (const image of [...images].reverse()) {
    const named = described(image);
    // Images are named at the end of what a step brought back.
    const at = said.lastIndexOf(`${named}]`);
    if (at >= 0) said = `${said.slice(0, at)}${named}${LEFT_OUT}${said.slice(at + named.length)}`;
  }
  return said;
}
