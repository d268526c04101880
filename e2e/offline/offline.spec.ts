import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { test } from '../application';
import { commandLine } from '../command-line';
import { readRows, wrongHashes } from '../dataset';
import { ExportScreen } from '../export-screen';
import { focusTimeline, giveName, row } from '../story';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'researchgym');
const missing =
  process.env.WAYMARK_NO_LOOPBACK ?? 'only npm run test:offline brings a network without a way out';
const steps = 69;
const created = 12;
const masked = [1, created];

// biome-ignore lint/suspicious/noSkippedTests: told why, where no such network can be had
test.skip(missing !== '', missing);

/** Network devices that a process sees. */
function devices(pid: number | 'self'): string[] {
  const table = readFileSync(`/proc/${pid}/net/dev`, 'utf8');
  return table.split('\n').flatMap((line) => /^\s*([^\s:|]+):/.exec(line)?.[1] ?? []);
}

/** Why an address outside cannot be reached; fails when it can. */
function wayOut(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 443 });
    socket.once('connect', () =>
      reject(new Error(`${host} was reached: this is no network without a way out.`)),
    );
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

const search = (page: Page) => page.getByRole('combobox', { name: 'Search this run' });
const found = (page: Page) => page.locator('.find-count');

/** Types a query and waits until this many steps are found. */
async function searchFor(page: Page, query: string, count: number): Promise<void> {
  await focusTimeline(page);
  await page.keyboard.press('/');
  await search(page).fill(query);
  const panel = page.getByTestId('search-panel');
  await expect(panel.getByRole('status')).toHaveText(`${count} steps`);
  await expect(panel.getByRole('option')).toHaveCount(count);
}

async function goTo(page: Page, step: number): Promise<void> {
  await focusTimeline(page);
  await page.keyboard.press('0');
  for (let at = 1; at < step; at += 1) await page.keyboard.press('j');
  await expect(row(page, step)).toHaveAttribute('aria-selected', 'true');
}

async function decided(page: Page, step: number, label: 'train' | 'mask'): Promise<void> {
  await expect(row(page, step).locator(`[data-label=${label}][data-pending=false]`)).toBeVisible();
}

test('import, search, review, plots and export with no network at all', async ({ place }) => {
  test.setTimeout(180_000);
  const { app, page, complaints } = await place.start();

  await test.step('there is loopback and nothing else, for the test and for the application', async () => {
    expect(devices('self')).toEqual(['lo']);
    expect(devices(await app.evaluate(() => process.pid))).toEqual(['lo']);
    expect(await wayOut('192.0.2.1')).toBe('ENETUNREACH');
    expect(await wayOut('example.com')).toMatch(/^(EAI_AGAIN|ENOTFOUND)$/);
  });

  await test.step('first use by name and folder, then a tree and a node are imported', async () => {
    await giveName(page, 'Ada Lovelace');
    await place.answerFolder(app, place.workspace);
    await page.getByRole('button', { name: 'Choose another' }).click();
    await place.answerFolder(app, join(fixtures, 'tree-demo'));
    await page.getByRole('button', { name: 'Import a run' }).click();
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await expect(page.getByText('28 steps in 4 segments, 1 hint.')).toBeVisible();
    await page.getByRole('button', { name: 'Open the run' }).click();
    await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', '28');
    await page.keyboard.press('Control+KeyI');
    await place.answerFolder(app, join(fixtures, 'react-node-real-depth70.json'));
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await expect(page.getByText(`${steps} steps in 1 segment, no hints.`)).toBeVisible();
    await page.getByRole('button', { name: 'Open the run' }).click();
    await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(steps));
    await focusTimeline(page);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
  });
  const { runs } = commandLine<{ runs: { id: string; steps: number }[] }>(place, 'run', 'list');
  const run = runs.find((each) => each.steps === steps)?.id ?? '';
  const tree = runs.find((each) => each.steps !== steps)?.id ?? '';

  await test.step('words, a phrase and a pattern are found and stepped through', async () => {
    await searchFor(page, '"llamafactory-cli train"', 3);
    await searchFor(page, 'llamafactory train', 9);
    await searchFor(page, '/llamafactory-cli\\s+train/', 3);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(found(page)).toHaveText('1 of 3');
    const first = await page.locator('[role=row][aria-selected=true]').getAttribute('data-step');
    await page.keyboard.press('n');
    await expect(found(page)).toHaveText('2 of 3');
    await page.keyboard.press('Shift+KeyN');
    await expect(row(page, Number(first))).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Escape');
    await expect(search(page)).toHaveValue('');
  });

  await test.step('a mask with a reason, a range, and an undo; each is on the disk', async () => {
    await goTo(page, 1);
    await page.keyboard.press('v');
    await page.keyboard.press('End');
    await page.keyboard.press('t');
    await decided(page, steps, 'train');
    for (const step of [...masked, 2]) {
      await goTo(page, step);
      await page.keyboard.press('5');
      await page.keyboard.press('m');
      await decided(page, step, 'mask');
    }
    await page.keyboard.press('z');
    await decided(page, 2, 'train');
  });

  await test.step('the filter shows the masked steps alone', async () => {
    await focusTimeline(page);
    await page.keyboard.press('l');
    await page
      .getByRole('group', { name: 'Label', exact: true })
      .getByRole('checkbox', { name: 'MASK' })
      .check();
    await page.keyboard.press('Escape');
    const bar = page.getByRole('region', { name: 'Steps shown' });
    await expect(bar.getByRole('status')).toHaveText(`showing ${masked.length} of ${steps} steps`);
    await expect(page.locator('[role=row][data-step]')).toHaveCount(masked.length);
    await bar.getByRole('button').click();
    await expect(bar).toHaveCount(0);
  });

  await test.step('the file that a step made is shown as a diff', async () => {
    await goTo(page, created);
    await page.keyboard.press('d');
    await expect(page.locator('.diff-pane .view-line').first()).toBeVisible({ timeout: 30_000 });
    await page.keyboard.press('Escape');
  });

  await test.step('a plot is saved as picture, drawing and table', async () => {
    await focusTimeline(page);
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('tab', { name: 'Labels' }).click();
    const saved = async (format: 'PNG' | 'SVG' | 'CSV'): Promise<Buffer> => {
      const file = join(place.folder, `labels.${format.toLowerCase()}`);
      await place.answerSave(app, file);
      await page.getByRole('button', { name: format, exact: true }).click();
      await expect(page.getByText(`Saved ${file}`)).toBeVisible();
      return readFileSync(file);
    };
    const png = await saved('PNG');
    expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    expect(png.readUInt32BE(16)).toBeGreaterThan(1000); // its width, px
    expect((await saved('SVG')).toString('utf8')).toMatch(
      /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/,
    );
    const [head, ...lines] = (await saved('CSV')).toString('utf8').trimEnd().split('\r\n');
    expect(head).toBe('Label,Source,Reason,Steps');
    const cells = lines.map((line) => line.split(','));
    expect(cells.map(([label, source, , count]) => [label, source, count])).toEqual([
      ['train', 'human', String(steps - masked.length)],
      ['mask', 'human', String(masked.length)],
    ]);
    await page.keyboard.press('Escape');
  });

  await test.step('the export is a dataset whose masks are the labels', async () => {
    const out = join(place.folder, 'dataset');
    await focusTimeline(page);
    const screen = new ExportScreen(page, app, place);
    await screen.open();
    await screen.writeTo(out);
    const rows = readRows(out);
    expect(rows).toHaveLength(1);
    const masks = rows[0]?.messages.flatMap(({ role, step_loss_mask: mask }) =>
      role === 'assistant' ? [mask] : [],
    );
    expect(masks).toHaveLength(1 + steps); // before the first step stands the summary of what came earlier
    expect(masks?.flatMap((mask, at) => (mask === 0 ? [at] : []))).toEqual([0, ...masked]);
    expect(wrongHashes(out)).toEqual([]);
  });

  await test.step('the command line works there, too', async () => {
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
    expect(commandLine(place, 'stats', run)).toMatchObject({ steps });
    expect(commandLine(place, 'rules', tree)).toMatchObject({
      verdicts: expect.arrayContaining([expect.objectContaining({ rule: 'null' })]),
    });
    commandLine(place, 'label', tree, '1-5', 'train', '--annotator', 'Bob Ng');
    const { runs: waiting } = commandLine<{ runs: { run: string; decided: number }[] }>(
      ...([place, 'queue', tree, '--annotator', 'Bob Ng'] as const),
    );
    expect(waiting).toMatchObject([{ run: tree, decided: 5 }]);
    const file = join(place.folder, 'labels.jsonl');
    const { entries } = commandLine<{ entries: number }>(place, 'label', 'export', '--out', file);
    expect(commandLine(place, 'merge', file)).toMatchObject({ added: 0, known: entries });
  });

  expect(complaints).toEqual([]);
});
