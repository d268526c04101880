import { readImage } from '@shared/context/image-header';
import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import type { ImagePart } from '@shared/log/image-part';
import { sha256 } from './hashing';

const NONE: ReadonlySet<ImagePart> = new Set();

/** The images in an event's body, wherever a kind may have them. */
function imagesOfEvent(event: NewEvent): ImagePart[] {
  switch (event.kind) {
    case 'action.observed':
      return event.body.images ?? [];
    case 'step.inherited':
      return event.body.observed.flatMap(({ images }) => images ?? []);
    case 'segment.started':
    case 'summary.started':
      return event.body.head.flatMap(({ images }) => images ?? []);
    default:
      return [];
  }
}

/**
 * The images of an event that is to be stored. @throws WaymarkError bad_input when one is not what it says: its bytes decide its
 * type, size and hash, and nothing that is no whole image of ours gets into a log
 */
export function checkedImages(event: NewEvent): ReadonlySet<ImagePart> {
  // Nearly every event; the switch costs less than a set.
  const images = imagesOfEvent(event);
  if (images.length === 0) return NONE;
  for (const image of images) if (image.data !== '') check(event.kind, image);
  return new Set(images);
}

function check(kind: string, image: ImagePart): void {
  const bytes = Buffer.from(image.data, 'base64');
  const read = readImage(bytes);
  const { mediaType, width, height } = image;
  const same =
    read.ok &&
    read.header.mediaType === mediaType &&
    read.header.width === width &&
    read.header.height === height &&
    bytes.length === image.bytes &&
    sha256(bytes).toString('hex') === image.sha256 &&
    bytes.toString('base64') === image.data;
  if (!same) {
    throw new WaymarkError(
      'bad_input',
      `An event of kind ${kind} was not stored: the image ${image.name} is not what the event says of it${read.ok ? '' : `; ${read.why}`}.`,
    );
  }
}
