import { useText } from '../../text/language';
import type { DataImage } from './data-images';

/** Pictures that stand in the log itself; nothing is fetched. */
export function ImageList({ images }: { images: readonly DataImage[] }) {
  const words = useText();
  return images.map((image, at) => {
    const name = words.rendering.imageOf(at + 1, image.type, words.common.format.bytes(image.size));
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of one text never move
      <figure key={at} className="data-image">
        <img src={image.source} alt={name} loading="lazy" decoding="async" />
        <figcaption className="text-11 quiet">{name}</figcaption>
      </figure>
    );
  });
}
