import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { type Place, test } from './application';
import { commandLine } from './command-line';
import { bob, importExample, prepareReview, STEPS } from './review-workspace';
import { apart, greyPicture, type Shape, shapeOf } from './row-shapes';
import { row } from './story';

/** What axe finds that keeps somebody out, in one line each; `part` is looked at, or everything. */
async function problems(page: Page, part: string | null, rules: string[] = []): Promise<string[]> {
  // The page's policy forbids injected evaluation in frames; there are none, so the legacy mode suffices.
  let axe = new AxeBuilder({ page }).setLegacyMode();
  if (part !== null) axe = axe.include(part);
  if (rules.length > 0) axe = axe.withRules(rules);
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The pane that has the keys. */
async function focusedPane(page: Page): Promise<string> {
  const pane = page.locator('[data-pane]:focus-within');
  return (await pane.getAttribute('data-pane')) ?? '';
}

/** A window in Review: on the tree with its segments and its hint, or on the run of a real agent. */
async function openReview(place: Place, which: 'tree' | 'node', settings: Record<string, unknown> = {}) {
  const run =
    which === 'node'
      ? prepareReview(place, settings)
      : importExample(place, 'tree-demo', 'Tree demo', settings, 'Do not open f.py again.');
  const waymark = await place.start({ args: ['--workspace', place.workspace] });
  const { page } = waymark;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expect(page.locator('[role=grid]')).toBeFocused();
  await press(page, 'g', 'r', '0');
  await expect(page.locator('.label-bar')).toBeVisible();
  await expect(row(page, 1)).toHaveAttribute('aria-selected', 'true');
  return { ...waymark, run };
}

/** Keys that lead to a place, what is to be seen there, and what stands over the rest of the window, if anything does. */
type Sight = [name: string, keys: string[], seen: string, part: string | null, back: string[]];

const dialog = '[role=dialog]';
/** The dialog counts what would be sent to it, and sends nothing. */
const endpoints = [{ name: 'strict', baseUrl: 'http://127.0.0.1:9/v1', model: 'judge-1' }];
const next = ['ArrowRight'];

/** Looks at places of the window one after the other: all of it in the light theme, its contrasts in the dark one. */
async function lookAround(page: Page, sights: readonly Sight[]): Promise<void> {
  const found: Record<string, string[]> = {};
  for (const [name, keys, seen, part, back] of sights) {
    await press(page, ...keys);
    await expect(page.locator(seen).first()).toBeVisible();
    found[name] = await problems(page, part);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    found[`${name}, dark`] = await problems(page, part, ['color-contrast']);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    await press(page, ...back);
    if (part === dialog && back.includes('Escape')) await expect(page.locator(dialog)).toHaveCount(0);
  }
  expect(Object.entries(found).filter(([, each]) => each.length > 0)).toEqual([]);
}

test('nothing serious for assistive technology: the frame and what lies in it', async ({ place }) => {
  const { page, complaints } = await openReview(place, 'tree');
  await lookAround(page, [
    ['Review with the proposal of a hint', [], '.retro', null, []],
    ['segments and carried steps', ['g', 's', 'Tab', 'Tab'], '.group-own', '.timeline', []],
    ['Watch', ['g', 'w'], '[data-pane=terminals]', null, ['g', 'r']],
    ['filters', ['l'], '.filter-panel', '.timeline', ['Escape']],
    ['search', ['/', ...'line', 'ArrowDown'], '[role=option]', 'search', ['Escape']],
    ['exact prompt', ['e'], '#detail-prompt[aria-selected=true]', '[data-pane=detail]', ['e']],
    ['files', ['d'], '#detail-files[aria-selected=true]', '[data-pane=detail]', ['d']],
    ['Export', ['g', 'x'], '.export', '.export', ['g', 'r']],
  ]);
  // Back from where there is no timeline, it shows the step under the cursor again, and says so.
  await expect(row(page, 1)).toBeInViewport();
  expect(await problems(page, '.timeline')).toEqual([]);
  expect(complaints).toEqual([]);
});

test('nothing serious for assistive technology: dialogs', async ({ place }) => {
  const { page, complaints } = await openReview(place, 'node', { endpoints });
  const plot = (name: string, back: string[]): Sight => [
    `plot of ${name}`,
    [],
    `#plots-${name}[aria-selected=true]`,
    dialog,
    back,
  ];
  await lookAround(page, [
    ['rules', ['g', 'u'], dialog, dialog, ['Escape']],
    [
      'my queue',
      ['g', 'q'],
      '[data-testid=my-queue]',
      dialog,
      ['Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'ArrowRight'],
    ],
    ['people', [], '#queue-people[aria-selected=true]', dialog, next],
    ['assign', [], '#queue-assign[aria-selected=true]', dialog, next],
    ['pace', [], '#queue-pace[aria-selected=true]', dialog, ['Escape']],
    ['plots', ['g', 'p'], dialog, dialog, next],
    ...['masks', 'kinds', 'tokens', 'people'].map((name) => plot(name, next)),
    plot('judges', ['Escape']),
    ['judge', ['g', 'a'], '.judge-estimate dd', dialog, ['Escape']],
    ['the rest', ['g', 't'], '[data-testid=rest]', dialog, ['Escape']],
    ['similar', ['Shift+Digit8'], '.similar', dialog, ['Escape']],
    ['correction', ['y'], '.correction', dialog, ['Escape']],
    ['comment', ['c'], dialog, dialog, ['Escape']],
    ['import', ['Control+I'], dialog, dialog, ['Escape']],
    ['palette', ['Control+K'], '[role=option]', dialog, ['Escape']],
    ['shortcuts', ['F1'], '.sheet-columns', dialog, ['Escape']],
  ]);
  expect(complaints).toEqual([]);
});

test('in Chinese too', async ({ place }) => {
  const { page } = await openReview(place, 'node', { language: 'zh', endpoints });
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/);
  await lookAround(page, [
    ['Review', [], '.label-bar', null, []],
    ['queue', ['g', 'q'], '[data-testid=my-queue]', dialog, ['Escape']],
    ['rules', ['g', 'u'], dialog, dialog, ['Escape']],
    ['judge', ['g', 'a'], '.judge-estimate dd', dialog, ['Escape']],
  ]);
  await expect(page.locator('.label-bar')).toContainText(/[\u4e00-\u9fff]/);
});

/** Pixels, of the 480 of a gutter and a glyph, in which two states must differ at least. */
const APART = 60;
/** Pixels in which a drawing may differ from itself in other colours: its soft edges. */
const RECOLOURED = 20;

/** States whose shapes are too much alike. */
function alike(shapes: Record<string, Shape>): string[] {
  return Object.entries(shapes).flatMap(([one, its], index, all) =>
    all
      .slice(index + 1)
      .map(([other, others]) => ({ pair: `${one} and ${other}`, pixels: apart(its, others) }))
      .filter(({ pixels }) => pixels < APART)
      .map(({ pair, pixels }) => `${pair}: ${pixels}`),
  );
}

test('the states of a row stay apart without their colours, in both themes and in forced colours', async ({
  place,
}) => {
  const { app, page, run } = await openReview(place, 'tree');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1440, 960));
  commandLine(place, 'label', run, '9', 'mask', '--annotator', bob);
  await press(page, ...'jjjjjjjj', 't', 't');
  await expect(row(page, 9)).toHaveAttribute('aria-label', /opinions differ/);
  await expect(row(page, 10).locator('[data-label=train][data-pending=false]')).toBeVisible();
  // A segment's carried steps are opened with the keyboard as well.
  await press(page, 'g', 's');
  const fold = page.getByRole('button', { name: /carried steps/ }).first();
  await press(page, 'Tab');
  await expect(fold).toBeFocused();
  await press(page, 'Enter');
  await expect(fold).toHaveAttribute('aria-expanded', 'true');
  const rows: Record<string, Locator> = {
    TRAIN: row(page, 10).locator('.step'),
    MASK: row(page, 8).locator('.step'),
    UNDECIDED: row(page, 12).locator('.step'),
    CARRIED: page.locator('[data-carried] .step').first(),
    HINT: page.locator('.note-hint').first(),
    disagreement: row(page, 9).locator('.step'),
  };
  const looks = { light: {}, dark: { colorScheme: 'dark' }, forced: { forcedColors: 'active' } } as const;
  const shapes: Record<string, Record<string, Shape>> = {};
  for (const [look, media] of Object.entries(looks)) {
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', ...media });
    const forced = await page.evaluate(() => matchMedia('(forced-colors: active)').matches);
    expect(forced).toBe(look === 'forced');
    const grey = await greyPicture(app, page);
    const these: Record<string, Shape> = {};
    for (const [state, at] of Object.entries(rows)) {
      const gutter = await shapeOf(grey, at.locator('.gutter').first(), at);
      these[state] = [...gutter, ...(await shapeOf(grey, at.locator('.glyph').first(), at))];
    }
    expect(alike(these), look).toEqual([]);
    shapes[look] = these;
  }
  // The proof that colour plays no part in this: the two themes differ in colours only, and there every shape is the same.
  for (const state of Object.keys(rows)) {
    const [light = [], dark = []] = [shapes.light?.[state], shapes.dark?.[state]];
    expect(apart(light, dark), state).toBeLessThan(RECOLOURED);
  }
  await expect(page.locator('.label-bar')).toContainText('MASK');
  await expect(row(page, 8).getByRole('img', { name: 'MASK' })).toBeVisible();
});

test('at 200 % nothing scrolls sideways and the keys still lead everywhere', async ({ place }) => {
  const { app, page } = await openReview(place, 'node');
  await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.setContentSize(1440, 900);
    window?.webContents.setZoomFactor(2);
  });
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(720);
  const sideways = () =>
    page.evaluate(() =>
      [document.scrollingElement, document.querySelector('.app'), document.querySelector('.content')]
        .map((box) => (box === null ? 0 : box.scrollWidth - box.clientWidth))
        .filter((more) => more > 0),
    );
  expect(await sideways()).toEqual([]);

  await page.locator('[role=grid]').focus();
  await press(page, ...'jjjjjjjj', 'm');
  await expect(row(page, 9).locator('[data-label=mask][data-pending=false]')).toBeVisible();
  await expect(row(page, 10)).toBeInViewport();
  const panes: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    await press(page, 'F6');
    await expect(page.locator(':focus')).toBeInViewport();
    panes.push(await focusedPane(page));
  }
  expect(panes).toEqual(['detail', 'hints', 'timeline']);
  // What stands beside the step in a wide window is one of its tabs here.
  await press(page, 'F6', 'ArrowLeft');
  await expect(page.locator('#detail-labels')).toBeFocused();
  await expect(page.getByRole('heading', { name: 'Labels of step 10' })).toBeVisible();
  const train = page.locator('.label-bar').getByRole('button', { name: /^TRAIN/ });
  await train.focus();
  await expect(train).toBeInViewport({ ratio: 1 });
  await press(page, 'Enter');
  await expect(row(page, 10).locator('[data-label=train][data-pending=false]')).toHaveCount(1);
  expect(await sideways()).toEqual([]);
});

test('the window is read in order: panes, grid, sentences', async ({ place }) => {
  const { page } = await openReview(place, 'node');
  const grid = page.getByRole('grid', { name: 'Timeline' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(STEPS));
  await expect(grid).toHaveAttribute('aria-multiselectable', 'true');
  await expect(grid).toHaveAttribute('aria-activedescendant', 'step-1');
  await press(page, 'End');
  await expect(grid).toHaveAttribute('aria-activedescendant', `step-${STEPS}`);
  await expect(row(page, STEPS)).toHaveAttribute('aria-rowindex', String(STEPS));
  await expect(row(page, STEPS)).toHaveAttribute(
    'aria-label',
    '69, get_session_output gpu_train, train, judge says train 0.90, not decided by a person',
  );
  await expect(row(page, STEPS)).toMatchAriaSnapshot(`
    - row:
      - gridcell "69"
      - gridcell "TRAIN":
        - img "TRAIN"
      - gridcell "get_session_output gpu_train"
      - gridcell "J.90"
  `);
  const panes: string[] = [];
  for (let at = 0; at < 5; at += 1) {
    panes.push(await focusedPane(page));
    await press(page, 'F6');
  }
  expect(panes).toEqual(['timeline', 'detail', 'labels', 'hints', 'rail']);
  await press(page, 'Shift+F6');
  expect(await focusedPane(page)).toBe('rail');
});
