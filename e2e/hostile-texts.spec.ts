import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { type ElectronApplication, expect, type Page } from '@playwright/test';
import { policyViolations, test } from './application';
import { hostileTexts } from './hostile-texts';
import { exampleLog, importLog } from './review-workspace';
import { focusTimeline, row } from './story';

const count = Object.keys(hostileTexts('')).length;

/** Steps whose every text is one of the list: what the model thinks and says, what it writes into a file, what it is told. */
function hostileLog(texts: Record<string, string>): object {
  const none = { reasoning: null, tool_call: null, tool_result: null };
  // Enough signs for what a program prints to be read as markdown.
  const marked = (text: string) => `# One\n\n- **two** and \`three\`\n\n${text}`;
  const all = Object.values(texts)
    .filter((text) => text.length < 5_000)
    .join('\n\n');
  const steps = Object.values(texts).flatMap((text, index) => {
    const call_id = `call-${index}`;
    const written = {
      path: '/w/notes.md',
      content: marked(text),
      session_id: 'main',
      command: text.slice(0, 2_000),
    };
    const said = { success: true, message: text.slice(0, 2_000), output: marked(text) };
    return [
      {
        ...none,
        role: 'assistant',
        content: marked(text),
        reasoning: marked(text),
        tool_call: { call_id, name: index % 2 === 0 ? 'create_file' : 'run_command', arguments: written },
      },
      {
        ...none,
        role: 'tool',
        content: '',
        tool_result: {
          call_id,
          name: index % 2 === 0 ? 'create_file' : 'run_command',
          content: JSON.stringify(said),
        },
      },
    ];
  });
  const node = JSON.parse(readFileSync(exampleLog, 'utf8'));
  const messages = [
    { ...none, role: 'system', content: marked(all) },
    { ...none, role: 'user', content: marked(all) },
    ...steps,
  ];
  return { ...node, messages, depth: count };
}

/** All that asks main's session for anything, and all that it opens or leaves. */
async function watch(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ app: application, session, shell, BrowserWindow }) => {
    const seen = { requests: [] as string[], went: [] as string[], opened: [] as string[] };
    Object.assign(application, { seen });
    session.defaultSession.webRequest.onBeforeRequest(({ url }, answer) => {
      if (!/^(?:app|data|blob|devtools):/.test(url)) seen.requests.push(url);
      answer({});
    });
    shell.openExternal = async (url) => {
      seen.opened.push(url);
    };
    const [window] = BrowserWindow.getAllWindows();
    window?.webContents.on('did-start-navigation', ({ url }) => seen.went.push(url));
    application.on('web-contents-created', (_event, contents) => seen.opened.push(contents.getType()));
  });
}

function seenBy(app: ElectronApplication): Promise<{ requests: string[]; went: string[]; opened: string[] }> {
  return app.evaluate(({ app: application }) => Reflect.get(application, 'seen'));
}

/** Elements that no text may bring into the page. */
function brought(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'body script, iframe, object, embed, webview, form, base, math, video, audio, meta[http-equiv=refresh], a[href], main style, [id=__proto__], [name=body], img:not([src^="data:image/"]):not([src^="/"]), img[src^="data:image/svg"]',
      ),
    ].map(({ outerHTML }) => outerHTML.slice(0, 200)),
  );
}

test(`${count} hostile texts in the packaged window run nothing, ask for nothing and lead nowhere`, async ({
  place,
}) => {
  test.setTimeout(240_000);
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push('connection');
    socket.on('data', (bytes) => heard.push(bytes.toString('latin1').slice(0, 80)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const leak = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const texts = hostileTexts(leak);
  try {
    importLog(place, hostileLog(texts), `<img src="${leak}/title" onerror="window.__pwned=1">`);
    const { app, page, complaints } = await place.start({
      packaged: true,
      args: ['--workspace', place.workspace],
    });
    await page.getByRole('button', { name: /onerror/ }).click();
    await expect(page.locator('[role=grid]')).toHaveAttribute('aria-rowcount', String(count + 1));
    await watch(app);
    await place.answerQuestion(app, 'no');
    const url = page.url();

    const kinds = new Map<string, number>();
    await focusTimeline(page);
    await page.keyboard.press('Shift+O');
    for (const [index, name] of Object.keys(texts).entries()) {
      await test.step(name, async () => {
        await focusTimeline(page);
        await page.keyboard.press(index === 0 ? '0' : 'j');
        await expect(row(page, index + 1)).toHaveAttribute('aria-selected', 'true');
        await expect(page.getByRole('tab', { name: `Step ${index + 1}`, exact: true })).toBeVisible();
        const shown = page.locator('.rendered');
        await expect(shown.nth(2)).toBeVisible();
        for (const kind of await shown.evaluateAll((all) =>
          all.map((each) => each.getAttribute('data-kind') ?? ''),
        ))
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        for (const link of await page.locator('.link-button').all()) await link.click();
        expect(await brought(page)).toEqual([]);
      });
    }
    await test.step('the exact prompt', async () => {
      await focusTimeline(page);
      await page.keyboard.press('e');
      await expect(page.getByRole('listbox', { name: 'Messages' }).getByRole('option').first()).toBeVisible();
      const messages = page.getByRole('listbox', { name: 'Messages' }).getByRole('option');
      for (const message of (await messages.all()).slice(0, 3)) await message.click();
      expect(await brought(page)).toEqual([]);
    });

    // Most were taken apart as markdown: else this proved nothing.
    expect(kinds.get('markdown')).toBeGreaterThan(2 * count);
    expect((await place.questions(app)).length).toBeGreaterThan(4);
    expect(await page.evaluate(() => Reflect.get(window, '__pwned'))).toBeUndefined();
    expect(await seenBy(app)).toEqual({ requests: [], went: [], opened: [] });
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    expect({ url: page.url(), frames: page.frames().length }).toEqual({ url, frames: 1 });
    expect(await app.evaluate(({ clipboard }) => clipboard.readText())).not.toContain('secret');
    expect(heard).toEqual([]);
    expect(policyViolations(place.data)).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    server.close();
  }
});
