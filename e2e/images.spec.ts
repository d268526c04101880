import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startScriptedModel } from '../electron/model/scripted-server';
import { plotPng } from '../electron/testing/images';
import { writeTaskPackage } from '../electron/testing/task-package';
import { giveToApplication } from '../scripts/launch.mjs';
import { test } from './application';
import { commandLine } from './command-line';
import { readRows } from './dataset';
import { focusTimeline, row } from './story';

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Where pictures of the window are kept for people; without it none are taken. */
const shots = process.env.WAYMARK_SHOTS;

test('a model that takes images is shown one; timeline, step, exact prompt, store and row hold it', async ({
  place,
}) => {
  test.setTimeout(150_000);
  const png = plotPng(640, 400);
  // Large enough for a file of its own.
  expect(png.length).toBeGreaterThan(256 * 1024);
  let path = '';
  const model = await startScriptedModel({
    policy: ({ answers, raw }) => {
      if (answers > 0) return { text: 'The loss falls.', calls: [{ name: 'finish', arguments: {} }] };
      // Where the workspace is, the model knows from its prompt alone.
      const root = raw.match(/\/[^\s"'`\\]*\/runs\/[^\s"'`\\]*/)?.[0] ?? '';
      path = `${root}/data/datasets/loss.png`;
      return { text: 'I look at the plot.', calls: [{ name: 'open_file', arguments: { path } }] };
    },
  });
  try {
    const folder = await writeTaskPackage(join(place.folder, 'package'));
    writeFileSync(join(folder, 'data', 'datasets', 'loss.png'), png);
    mkdirSync(place.data, { recursive: true });
    const settings = { annotator: { uuid: randomUUID(), name: 'Ada Lovelace' }, device: randomUUID() };
    writeFileSync(join(place.data, 'settings.json'), JSON.stringify(settings));
    giveToApplication(place.folder);
    giveToApplication(place.data);
    commandLine(place, 'task', 'add', folder);
    const { run } = commandLine<{ run: string }>(
      ...[place, 'run', 'start', '--task', 'small', '--approvals', 'off', '--isolation', 'none'],
      ...['--base-url', model.baseUrl, '--model', 'scripted', '--images', 'on', '--title', 'Plots'],
    );
    commandLine(place, 'run', 'resume', run, '--isolation', 'none');
    await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBe(2);
    await expect
      .poll(() => commandLine<{ status: string }>(place, 'run', 'show', run).status, { timeout: 60_000 })
      .toBe('finished');

    const { page, app, complaints } = await place.start({ args: ['--workspace', place.workspace] });
    await expect(row(page, 1)).toBeVisible();
    const thumbnail = row(page, 1).getByRole('img', { name: /loss\.png, PNG, 640 × 400 pixels/ });
    await expect(thumbnail).toBeVisible();
    expect(await thumbnail.getAttribute('src')).toMatch(/^blob:app:/);
    await focusTimeline(page);
    await page.keyboard.press('Home');
    const opener = page.getByRole('button', { name: /Show .*loss\.png at full size/ });
    await expect(opener).toBeVisible();
    const drawn = () => opener.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(drawn).toBe(640);
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
    ] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        if (shots === undefined) continue;
        await page.emulateMedia({ colorScheme });
        await app.evaluate(
          ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(...size),
          [width, height] as [number, number],
        );
        await page.screenshot({ path: join(shots, `step-${width}-${colorScheme}.png`) });
        await opener.press('Enter');
        await page.screenshot({ path: join(shots, `large-${width}-${colorScheme}.png`) });
        await page.keyboard.press('Escape');
      }
    }
    await opener.press('Enter');
    const large = page.getByRole('dialog', { name: 'loss.png' });
    await expect(large.getByRole('img')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(large).toBeHidden();

    await page.keyboard.press('Escape');
    await focusTimeline(page);
    await page.keyboard.press('End');
    await page.getByRole('tab', { name: /Exact prompt/ }).click();
    const message = page.getByRole('region', { name: 'Message' });
    await expect(message.getByText(`[Image: ${path}, PNG, 640 × 400 pixels.]`)).toBeVisible();
    await expect(message.getByRole('img')).toBeVisible();
    for (const colorScheme of ['light', 'dark'] as const) {
      if (shots === undefined) continue;
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(shots, `prompt-${colorScheme}.png`) });
    }
    expect(complaints).toEqual([]);

    // On disk: the file itself, under its own hash; the log names it.
    const blob = join(place.workspace, 'blobs', sha(png).slice(0, 2), sha(png));
    expect(readFileSync(blob).equals(png)).toBe(true);
    const step = commandLine<{ observations: { images: unknown[] }[] }>(place, 'step', 'show', run, '1');
    expect(step.observations[0]?.images).toEqual([
      { name: path, mediaType: 'image/png', width: 640, height: 400, bytes: png.length, sha256: sha(png) },
    ]);
    expect(commandLine(place, 'step', 'show', run, '2', '--prompt')).toMatchObject({ verified: true });
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });

    const out = join(place.folder, 'dataset');
    commandLine(place, 'export', '--format', 'slime', '--out', out, '--undecided', 'train');
    const exported = readRows(out)[0] as unknown as { messages: { role: string; content: unknown }[] };
    const url = `data:image/png;base64,${png.toString('base64')}`;
    expect(exported.messages).toContainEqual(model.requests[1]?.messages.at(-1));
    expect(JSON.stringify(exported.messages)).toContain(url);
    expect(readFileSync(join(out, 'train.jsonl'), 'utf8')).toContain('"type":"image_url"');
  } finally {
    await model.close();
  }
});
