import type { ContentPart, PlacedMessage } from '../log/chat';
import { dataUrl, type ImagePart, imageTypeName } from '../log/image-part';
import { escapeHumanTag } from './human-tag';

/**
 * A user message that shows images: one `image_url` part for each, then one text part, which names them and ends with
 * what else stands in it: `taught` (what teaches) and `added` (hints, budgets; with their own space before them). A model that
 * takes no images reads the text alone, which then says that they are not shown.
 */
export function imageMessage(
  images: readonly ImagePart[],
  { taught, added }: { taught: string; added: string },
  show: boolean,
): Pick<PlacedMessage, 'message' | 'images'> {
  const said = imagesText(images, show) + (taught === '' ? '' : `\n\n${taught}`) + added;
  return show ? shownWith(images, said) : { message: { role: 'user', content: said } };
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

/** One line for each image, as the model reads it. */
export function imagesText(images: readonly ImagePart[], shown = true): string {
  return images
    .map(({ name, mediaType, width, height }, index) => {
      const number = images.length > 1 ? ` ${index + 1}` : '';
      const why = shown ? '' : ' Not shown: this model takes no images.';
      const size = `${imageTypeName(mediaType)}, ${width} × ${height} pixels`;
      return `[Image${number}: ${escapeHumanTag(name)}, ${size}.${why}]`;
    })
    .join('\n');
}
