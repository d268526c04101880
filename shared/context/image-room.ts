import type { EventBody } from '../log/events';
import type { ContextState } from './context-state';

/**
 * Most that the images of one request may take, bytes of base64 as sent. The large services state 20 MB (Gemini, inline), 32 MB
 * (Anthropic) and 50 MB (OpenAI) for a whole request; this leaves room for its text in the smallest of them.
 */
export const MAX_REQUEST_IMAGE_BYTES = 16 * 1024 * 1024;
/** Most images of one request: the smallest number that these services state (Anthropic). */
export const MAX_REQUEST_IMAGES = 100;

/** What stays once there are too many: so the sent prefix changes once in many images, not with each. */
const STAYS = 1 / 2;

/**
 * Which images the next request has to leave out, the oldest first, so that what stays takes half of what may be sent. Null:
 * none.
 */
export function imagesToLeaveOut(
  context: Pick<ContextState, 'imagesSent' | 'segment'>,
): EventBody<'context.images_left_out'> | null {
  const sent = context.imagesSent;
  const total = sent.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_REQUEST_IMAGE_BYTES && sent.length <= MAX_REQUEST_IMAGES) return null;
  let bytes = 0;
  let left = 0;
  for (const image of [...sent].reverse()) {
    bytes += image.bytes;
    if (bytes > MAX_REQUEST_IMAGE_BYTES * STAYS || left >= MAX_REQUEST_IMAGES * STAYS) break;
    left += 1;
  }
  const last = sent[sent.length - left - 1];
  if (last === undefined) return null;
  const { step, call } = last;
  // One observation is shown or left out as a whole.
  const stays = sent.filter((each) => each.step > step || (each.step === step && each.call > call)).length;
  return { segment: context.segment, step, call, images: sent.length - stays, left: stays };
}
