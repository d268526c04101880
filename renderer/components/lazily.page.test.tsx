import { act, render, screen } from '@testing-library/react';
import { Component, type ReactNode, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lazily } from './lazily';

const Said = ({ word }: { word: string }) => <p>{word}</p>;

/** A loader that is answered by hand. */
function loader() {
  const asked: { resolve: (view: typeof Said) => void; reject: (error: Error) => void }[] = [];
  const load = () => new Promise<typeof Said>((resolve, reject) => asked.push({ resolve, reject }));
  return { asked, load };
}

class Boundary extends Component<{ children: ReactNode }, { failed: string | null }> {
  override state = { failed: null };

  static getDerivedStateFromError(error: Error) {
    return { failed: error.message };
  }

  override render() {
    return this.state.failed ?? this.props.children;
  }
}

test('what waits stands there until the code is loaded, once for all; then it is there at once', async () => {
  const { asked, load } = loader();
  const View = lazily(load);
  const { unmount } = render(
    <>
      <View word="one" waiting={<p>Loading…</p>} />
      <View word="two" />
    </>,
  );
  expect(screen.getByText('Loading…')).toBeDefined();
  expect(asked).toHaveLength(1);
  await act(async () => asked[0]?.resolve(Said));
  expect(screen.queryByText('Loading…')).toBeNull();
  expect(screen.getByText('one')).toBeDefined();
  expect(screen.getByText('two')).toBeDefined();
  unmount();
  render(<View word="three" waiting={<p>Loading…</p>} />);
  expect(screen.getByText('three')).toBeDefined();
  expect(asked).toHaveLength(1);
});

test('what was loaded before is there in the first frame', async () => {
  const { asked, load } = loader();
  const View = lazily(load);
  const loading = View.preload();
  asked[0]?.resolve(Said);
  await loading;
  render(<View word="one" waiting={<p>Loading…</p>} />);
  expect(screen.getByText('one')).toBeDefined();
});

test('what is loaded between the first drawing and its effects is shown too', async () => {
  const { asked, load } = loader();
  const View = lazily(load);
  const loading = View.preload();
  /** Runs when the page is drawn; effects come in a task of their own, behind what follows from this. */
  function Drawn() {
    useLayoutEffect(() => asked[0]?.resolve(Said), []);
    return null;
  }
  const box = document.createElement('div');
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  onTestFinished(() => void vi.unstubAllGlobals());
  const root = createRoot(box);
  onTestFinished(() => root.unmount());
  root.render(
    <>
      <Drawn />
      <View word="one" waiting={<p>Loading…</p>} />
    </>,
  );
  await loading;
  await vi.waitFor(() => expect(box.textContent).toBe('one'));
});

test('a failure is thrown where it is shown, and shown again it is tried again', async () => {
  const { asked, load } = loader();
  const View = lazily(load);
  const { unmount } = render(
    <Boundary>
      <View word="one" />
    </Boundary>,
  );
  await act(async () => asked[0]?.reject(new Error('no such chunk')));
  expect(screen.getByText('no such chunk')).toBeDefined();
  unmount();
  render(<View word="two" />);
  await act(async () => asked[1]?.resolve(Said));
  expect(screen.getByText('two')).toBeDefined();
});
