import { beforeEach, expect, test } from 'vitest';
import { cyclePane } from './cycle-pane';

/** The panes as the window has them, each with what its name says. */
beforeEach(() => {
  document.body.innerHTML = `
    <nav data-pane="rail"><button>First run</button><button aria-current="true">Open run</button></nav>
    <section data-pane="timeline"><button>Filter</button><div role="grid" tabindex="0" aria-label="Timeline"></div></section>
    <section data-pane="dock"><button>Send</button><textarea aria-label="Hint"></textarea></section>`;
});

const focused = () =>
  document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;

test('F6 goes through the panes in reading order, to the main thing of each: the open run, the list, the text', () => {
  const seen = [1, 2, 3, 4].map(() => {
    cyclePane(1);
    return focused();
  });
  expect(seen).toEqual(['Open run', 'Timeline', 'Hint', 'Open run']);
  cyclePane(-1);
  expect(focused()).toBe('Hint');
});

test('a hidden pane is passed over', () => {
  // Nothing is laid out here: what is hidden has no box, and nothing that it is placed by.
  const timeline = document.querySelector('[data-pane="timeline"]');
  Object.defineProperties(timeline, { offsetParent: { value: null }, getClientRects: { value: () => [] } });
  cyclePane(1);
  cyclePane(1);
  expect(focused()).toBe('Hint');
});
