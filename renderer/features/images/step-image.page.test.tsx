import type { ImageRef } from '@shared/log/image-part';
import { fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show } from '../../page-fixtures';
import { StepImage, StepThumbnail } from './StepImage';

const image: ImageRef = {
  name: 'plots/loss.png',
  mediaType: 'image/png',
  width: 640,
  height: 480,
  bytes: 2048,
  sha256: 'ab'.repeat(32),
};
const facts = 'plots/loss.png, PNG, 640 × 480 pixels, 2 kB';
const png = { mediaType: 'image/png', bytes: new Uint8Array([137, 80, 78, 71]) };
const made: Blob[] = [];
const revoked: string[] = [];

beforeEach(() => {
  made.length = 0;
  revoked.length = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${made.push(blob as Blob)}`);
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => {
    revoked.push(url);
  });
});

test('an image keeps its place until its bytes are there, and is then shown under what it is', async () => {
  const bridge = show(<StepImage run="run" image={image} />, { 'step.image': () => png });
  expect(screen.queryByRole('img')).toBeNull();
  expect(screen.getByText(facts)).toBeTruthy();
  expect(await screen.findByRole('img', { name: 'plots/loss.png' })).toMatchObject({
    src: 'blob:1',
    width: 640,
    height: 480,
  });
  expect(made[0]?.type).toBe('image/png');
  expect(bridge.calls).toEqual([['step.image', { run: 'run', sha256: image.sha256 }]]);
});

test('a press opens it in its own size, and Escape gives the focus back', async () => {
  show(<StepImage run="run" image={image} />, { 'step.image': () => png });
  await screen.findByRole('img');
  const open = screen.getByRole('button', { name: 'Show plots/loss.png at full size' });
  open.focus();
  fireEvent.click(open);
  const dialog = screen.getByRole('dialog', { name: 'loss.png' });
  expect(within(dialog).getByRole<HTMLImageElement>('img', { name: facts }).src).toBe('blob:1');
  fireEvent.keyDown(dialog, { key: 'Escape' });
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(open);
});

test('one whose bytes are gone says so in place of the image', async () => {
  show(<StepImage run="run" image={image} />, {
    'step.image': () => {
      throw { code: 'not_found', message: 'Its bytes were removed with the run’s texts.' };
    },
  });
  expect(await screen.findByText('Its bytes were removed with the run’s texts.')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
  expect(made).toEqual([]);
});

test('a thumbnail says what it is before and while it is shown, and lets go of its bytes afterwards', async () => {
  function Row() {
    const [sha256, choose] = useState(image.sha256);
    return (
      <>
        <StepThumbnail run="run" image={{ ...image, sha256 }} />
        <button type="button" onClick={() => choose('cd'.repeat(32))}>
          next
        </button>
      </>
    );
  }
  show(<Row />, { 'step.image': () => png });
  expect(screen.getByTitle(facts).textContent).toBe('');
  expect(await screen.findByRole<HTMLImageElement>('img', { name: facts })).toMatchObject({ src: 'blob:1' });
  fireEvent.click(screen.getByRole('button'));
  expect(screen.queryByRole('img')).toBeNull();
  expect(revoked).toEqual(['blob:1']);
  expect(await screen.findByRole<HTMLImageElement>('img', { name: facts })).toMatchObject({ src: 'blob:2' });
});
