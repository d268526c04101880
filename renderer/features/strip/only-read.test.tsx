import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { useWorkspace } from '../../state/workspace';
import { en } from '../../text/en';
import { RunControls } from './RunControls';

type Run = Parameters<typeof RunControls>[0]['run'];

const paused = { id: '01K00000000000000000000000', title: 'A run', state: 'paused', reason: 'asked' } as Run;
const buttons = () =>
  [...renderToStaticMarkup(<RunControls run={paused} />).matchAll(/<button([^>]*)>/g)].map(
    ([, said = '']) => said,
  );

/** Markup without a page is made of the states that stores begin with. */
const open = (status: unknown) => Object.assign(useWorkspace.getInitialState(), { status });

afterEach(() => open(null));

test('where a workspace is only read, a run cannot be resumed, and the button says why', () => {
  const [resume = '', more = ''] = buttons();
  expect(resume).not.toContain('disabled');
  open({ folder: '/w', isReadOnly: true });
  const [held = '', still = ''] = buttons();
  expect(held).toContain('disabled=""');
  expect(held).toContain(en.frame.onlyReadWhy);
  expect(still).toBe(more);
});
