import { fireEvent, screen } from '@testing-library/react';
import { useLayoutEffect, useRef, useState } from 'react';
import { expect, test } from 'vitest';
import { show } from '../page-fixtures';
import { Dialog } from './Dialog';
import { Tabs } from './Tabs';

/** A button that opens a dialog; where that closes, a panel may come that takes the focus. */
function Page({ panel }: { panel: boolean }) {
  const [at, setAt] = useState<'before' | 'dialog' | 'after'>('before');
  return (
    <>
      <button type="button" onClick={() => setAt('dialog')}>
        {'Open'}
      </button>
      {at === 'dialog' && (
        <Dialog title="Ask" closeLabel="Close" onClose={() => setAt('after')}>
          {null}
        </Dialog>
      )}
      {at === 'after' && panel && <Panel />}
    </>
  );
}

function Panel() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return <div ref={box} tabIndex={-1} data-testid="panel" />;
}

test.each([
  ['the focus goes back to where it was', false],
  ['a panel that comes in the place of the dialog keeps the focus', true],
])('%s', (_name, panel) => {
  show(<Page panel={panel} />, {});
  const open = screen.getByRole('button', { name: 'Open' });
  open.focus();
  fireEvent.click(open);
  expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true);
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(panel ? screen.getByTestId('panel') : open);
});

test('Tab stays inside where the last control is a tab that is not chosen', () => {
  show(
    <Dialog title="Plots" closeLabel="Close" onClose={() => undefined}>
      <Tabs
        label="View"
        items={['one', 'two'].map((id) => ({ id, label: id }))}
        chosen="one"
        onChoose={() => undefined}
        idBase="view"
      />
    </Dialog>,
    {},
  );
  screen.getByRole('tab', { name: 'one' }).focus();
  expect(fireEvent.keyDown(screen.getByRole('tab', { name: 'one' }), { key: 'Tab' })).toBe(false);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Close' }));
  fireEvent.keyDown(screen.getByRole('button', { name: 'Close' }), { key: 'Tab', shiftKey: true });
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'one' }));
});
