import type { FileContent, FileRevision } from '@shared/contract/file-views';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show } from '../../page-fixtures';
import { StepFiles } from './StepFiles';

const file: FileRevision = {
  computer: 'local',
  path: '/w/a.py',
  revision: 1,
  step: 3,
  seq: 9,
  before: null,
  after: 'b'.repeat(64),
  size: 4,
  by: 'action',
  added: 1,
  removed: 0,
  movedTo: null,
  movedFrom: null,
  inheritedFrom: null,
};
const press = () => fireEvent.click(screen.getByRole('button', { name: 'Show changes' }));

test('changes that cannot be read say why in their place', async () => {
  show(<StepFiles run="run" step={3} files={[file]} />, {
    'files.text': () => {
      throw { code: 'not_found', message: 'The text of this revision is not in the workspace.' };
    },
  });
  press();
  expect(await screen.findByRole('alert')).toHaveProperty(
    'textContent',
    expect.stringContaining('The text of this revision is not in the workspace.'),
  );
  expect(screen.queryByText('Loading…')).toBeNull();
});

test('a file without text is asked for by its place and revision, and says that there is none', async () => {
  const bridge = show(<StepFiles run="run" step={3} files={[file]} />, {
    'files.text': (): FileContent => ({ kind: 'binary', size: 4, sha256: null }),
  });
  press();
  expect(await screen.findByText(/no text/i)).toBeTruthy();
  expect(bridge.calls).toEqual([
    ['files.text', { run: 'run', computer: 'local', path: '/w/a.py', revision: 0 }],
    ['files.text', { run: 'run', computer: 'local', path: '/w/a.py', revision: 1 }],
  ]);
});
