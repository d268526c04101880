import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { test } from './application';

test('the window is sandboxed, isolated and cannot leave its page', async ({ place }) => {
  const { app, page, complaints } = await place.start();
  await page.waitForLoadState();

  const pids = await app.evaluate(({ app: application }) =>
    application.getAppMetrics().map(({ pid, type, sandboxed }) => ({ pid, type, sandboxed })),
  );
  const renderers = pids.filter(({ type }) => type === 'Tab');
  expect(renderers.length).toBeGreaterThan(0);
  for (const { pid } of renderers) {
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s+2$/m);
  }

  const reachable = await page.evaluate(() => ({
    require: typeof Reflect.get(window, 'require'),
    process: typeof Reflect.get(window, 'process'),
    bridge: Object.keys(Reflect.get(window, 'waymark')).sort(),
  }));
  expect(reachable).toEqual({ require: 'undefined', process: 'undefined', bridge: ['invoke', 'on'] });

  const statuses = await page.evaluate(() =>
    Promise.all(
      ['/%', '/..%2f..%2fpackage.json', '/%2e%2e/nothing'].map(async (path) => (await fetch(path)).status),
    ),
  );
  expect(statuses).toEqual([400, 403, 404]);

  place.breaksPolicy();
  // A debugger's own evaluation is exempt from the policy; what it leaves behind in a timer is not.
  const evaluated = await page.evaluate(
    () =>
      new Promise((resolve) => {
        setTimeout(() => {
          try {
            resolve(String(new Function('return 1')()));
          } catch (error) {
            resolve(error instanceof Error ? error.name : 'other');
          }
        });
      }),
  );
  expect(evaluated).toBe('EvalError');

  const before = page.url();
  await page.evaluate(() => {
    window.location.href = 'https://example.com/';
    window.open('https://example.com/');
  });
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  expect(page.url()).toBe(before);
  expect(complaints.filter((each) => each.startsWith('request'))).toEqual([]);
});

test('every command refuses nonsense by name and the process lives on', async ({ place }) => {
  const { page } = await place.start();
  await page.waitForLoadState();
  const answers = await page.evaluate(async () => {
    const bridge = Reflect.get(window, 'waymark') as {
      invoke(name: unknown, input: unknown): Promise<unknown>;
    };
    const names = [
      'step.detail',
      'files.text',
      'settings.set',
      'runs.start',
      'sessions.read',
      'nothing',
      '__proto__',
      'constructor',
    ];
    const inputs: unknown[] = [
      null,
      0,
      'x'.repeat(1_000_000),
      [],
      { run: '../../etc/passwd' },
      { __proto__: { run: 1 } },
      { theme: 'pink' },
    ];
    const seen: { name: string; ok: boolean; code: string }[] = [];
    for (const name of names) {
      for (const input of inputs) {
        const reply = (await bridge.invoke(name, input)) as { ok: boolean; error?: { code: string } };
        seen.push({ name, ok: reply.ok, code: reply.error?.code ?? '' });
      }
    }
    return seen;
  });
  // `settings.set` takes an empty change; nothing else takes any of these.
  const taken = answers.filter(({ ok, name }) => ok && name !== 'settings.set');
  expect(taken).toEqual([]);
  expect(answers.filter(({ code }) => code === 'bug')).toEqual([]);
  await expect.poll(() => page.evaluate(() => document.readyState)).toBe('complete');
});
