import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { useSettings } from '../../state/settings';
import { AboutDialog } from './AboutDialog';

const app = {
  name: 'Waymark',
  version: '1.2.3',
  runtime: { electron: '45.4.1', chrome: '150.0', node: '24.1.0', sqlite: '3.53.0' },
  testRuntime: false,
  platform: 'linux x64',
  locale: 'en-US',
  smoke: false,
};
const close = vi.fn();

beforeEach(() => {
  close.mockClear();
  useSettings.setState({ app });
});

test('says which versions run, and warns only of the test runtime', () => {
  show(<AboutDialog onClose={close} />);
  expect(screen.getByRole('dialog', { name: 'About Waymark' }).textContent).toContain('Chromium150.0');
  expect(screen.getAllByRole('definition').map((one) => one.textContent)).toEqual([
    '1.2.3',
    '45.4.1',
    '150.0',
    '24.1.0',
    '3.53.0',
    'linux x64',
  ]);
  expect(screen.queryByText(/no longer gets security updates/)).toBeNull();
});

test('on the test runtime it says not to do real work', () => {
  useSettings.setState({ app: { ...app, testRuntime: true } });
  show(<AboutDialog onClose={close} />);
  expect(screen.getByText(/no longer gets security updates/)).toBeTruthy();
});

test('shows nothing before the application has said what it is', () => {
  useSettings.setState({ app: null });
  show(<AboutDialog onClose={close} />);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('diagnostics are saved, and it says where; a cancelled dialog says nothing', async () => {
  const paths = [null, '/home/me/waymark.zip'];
  const bridge = show(<AboutDialog onClose={close} />, {
    'app.saveDiagnostics': () => ({ path: paths.shift() ?? null }),
  });
  fireEvent.click(screen.getByRole('button', { name: 'Save diagnostics' }));
  await shown();
  expect(screen.getByRole('status').textContent).toBe('');
  fireEvent.click(screen.getByRole('button', { name: 'Save diagnostics' }));
  expect(await screen.findByText('Diagnostics saved to /home/me/waymark.zip')).toBeTruthy();
  expect(bridge.calls).toEqual([
    ['app.saveDiagnostics', undefined],
    ['app.saveDiagnostics', undefined],
  ]);
});

test('a failure is told in its own words', async () => {
  show(<AboutDialog onClose={close} />, {
    'app.saveDiagnostics': () => {
      throw { code: 'disk_full', message: 'There is no room for the diagnostics.' };
    },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Save diagnostics' }));
  expect(await screen.findByText('There is no room for the diagnostics.')).toBeTruthy();
});

test('Escape closes it, and it holds the focus until then', () => {
  show(<AboutDialog onClose={close} />);
  const dialog = screen.getByRole('dialog');
  expect(dialog.contains(document.activeElement)).toBe(true);
  fireEvent.keyDown(dialog, { key: 'a' });
  expect(close).not.toHaveBeenCalled();
  fireEvent.keyDown(dialog, { key: 'Escape' });
  expect(close).toHaveBeenCalledTimes(1);
});
