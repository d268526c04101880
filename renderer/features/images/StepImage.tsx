import type { ImageRef } from '@shared/log/image-part';
import { imageTypeName } from '@shared/log/image-part';
import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { useImageUrl } from './image-url';
import './images.css';

interface StepImageProps {
  /** The run whose log names it. */
  run: string;
  image: ImageRef;
}

/** An image as large as it fits, with what it is; a press opens it in its own size. */
export function StepImage({ run, image }: StepImageProps) {
  const words = useText();
  const { url, failure } = useImageUrl(run, image.sha256);
  const [large, setLarge] = useState(false);
  const said = captionOf(image, words);
  if (failure !== '') return <p className="section-line quiet">{failure}</p>;
  return (
    <figure className="step-image">
      <button
        type="button"
        className="step-image-open"
        aria-label={words.rendering.openImage(image.name)}
        onClick={() => setLarge(true)}
      >
        <ImagePlace image={image} url={url} />
      </button>
      <figcaption className="text-11 quiet">{said}</figcaption>
      {large && url !== null && (
        <Dialog
          title={fileName(image.name)}
          closeLabel={words.common.close}
          width="wide"
          onClose={() => setLarge(false)}
        >
          <div className="step-image-large">
            <img src={url} alt={said} />
          </div>
          <p className="text-12 quiet">{said}</p>
        </Dialog>
      )}
    </figure>
  );
}

/** Keeps its place while the bytes come, so that nothing below it moves. */
function ImagePlace({ image, url }: { image: ImageRef; url: string | null }) {
  const { name, width, height } = image;
  return url === null ? (
    <span className="step-image-awaited" style={{ aspectRatio: `${width} / ${height}`, width }} />
  ) : (
    <img src={url} alt={name} width={width} height={height} decoding="async" />
  );
}

/** The image in a row of the timeline. */
export function StepThumbnail({ run, image }: StepImageProps) {
  const { url } = useImageUrl(run, image.sha256);
  const words = useText();
  const said = captionOf(image, words);
  return (
    <span className="step-thumbnail" title={said}>
      {url !== null && <img src={url} alt={said} decoding="async" />}
    </span>
  );
}

function captionOf({ name, mediaType, width, height, bytes }: ImageRef, words: Text): string {
  return words.rendering.imageFacts(
    name,
    imageTypeName(mediaType),
    `${width} × ${height}`,
    words.common.format.bytes(bytes),
  );
}

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
