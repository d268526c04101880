import { expect, test } from 'vitest';
import { imagesToLeaveOut, MAX_REQUEST_IMAGE_BYTES, MAX_REQUEST_IMAGES } from './image-room';

/** Images of `bytes` each, one a step from 1 on. */
const each = (bytes: readonly number[]) => ({
  segment: 2,
  imagesSent: bytes.map((size, index) => ({ step: index + 1, call: 0, bytes: size })),
});
const quarter = MAX_REQUEST_IMAGE_BYTES / 4;

test('what a request may hold is sent whole', () => {
  expect(imagesToLeaveOut(each([]))).toBeNull();
  expect(imagesToLeaveOut(each([quarter, quarter, quarter, quarter]))).toBeNull();
  expect(imagesToLeaveOut(each(Array.from({ length: MAX_REQUEST_IMAGES }, () => 1)))).toBeNull();
});

test('one byte or one image more, and the newest half stays', () => {
  expect(imagesToLeaveOut(each([quarter, quarter, quarter, quarter, 1]))).toEqual({
    segment: 2,
    step: 3,
    call: 0,
    images: 3,
    left: 2,
  });
  expect(imagesToLeaveOut(each(Array.from({ length: MAX_REQUEST_IMAGES + 1 }, () => 1)))).toEqual({
    segment: 2,
    step: 51,
    call: 0,
    images: 51,
    left: 50,
  });
});

test('images of one answer are told apart by their calls, those of one observation are not', () => {
  const calls = [0, 0, 1, 2].map((call) => ({ step: 7, call, bytes: quarter * 1.1 }));
  expect(imagesToLeaveOut({ segment: 1, imagesSent: calls })).toEqual({
    segment: 1,
    step: 7,
    call: 1,
    images: 3,
    left: 1,
  });
  const together = calls.map((one) => ({ ...one, call: 3 }));
  expect(imagesToLeaveOut({ segment: 1, imagesSent: together })).toEqual({
    segment: 1,
    step: 7,
    call: 3,
    images: 4,
    left: 0,
  });
});
