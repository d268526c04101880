import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { startDemoModel } from '../electron/demo/demo';
import { ClientFiles } from '../electron/testing/ssh/client-files';
import { namespacesMissing } from '../electron/testing/ssh/namespaces';
import { type SshHost, startSshHost } from '../electron/testing/ssh/ssh-host';
import { giveToApplication } from '../scripts/launch.mjs';
import { type Place, test, type Waymark } from './application';
import { commandLine, commandOutput } from './command-line';
import { giveName, row, runEnded, runState } from './story';

const resources = join(import.meta.dirname, '..', 'resources');
const spools = '.local/state/waymark/sessions';

// biome-ignore lint/suspicious/noSkippedTests: hosts need root and namespaces; the reason is told
test.skip(namespacesMissing !== undefined, namespacesMissing);

/** `SHA256:…` of a public key, by OpenSSH itself. */
function fingerprint(publicKeyFile: string): string {
  const said = spawnSync('ssh-keygen', ['-lf', publicKeyFile], { encoding: 'utf8' });
  return said.stdout.split(' ')[1] ?? 'none';
}

async function addComputer(place: Place, { app, page }: Waymark, host: SshHost): Promise<void> {
  await page.keyboard.press('KeyG');
  await page.keyboard.press('KeyC');
  await page.getByRole('textbox', { name: 'Host' }).fill('box');
  await page.getByRole('button', { name: 'Look it up' }).click();
  await expect(page.getByText(host.address).first()).toBeVisible();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Is this really box?' });
  await expect(question).toContainText(fingerprint(`${host.hostKey('ed25519').file}.pub`));
  // What the page says is not enough: the main process asks for itself.
  await place.answerQuestion(app, 'no');
  await question.getByRole('button', { name: 'Trust and record' }).click();
  await expect(page.getByText('The key of box was not recorded. It still asks.')).toBeVisible();
  await place.answerQuestion(app, 'yes');
  await question.getByRole('button', { name: 'Trust and record' }).click();
  await expect(page.locator('[data-outcome=ok]')).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('li[data-stage=gpu]')).toHaveAttribute('data-state', /skipped|ok/);
  await page.getByRole('button', { name: 'Add it' }).click();
  await expect(page.locator('.computers-row[data-computer=box]')).toBeVisible();
  await page.keyboard.press('Escape');
}

async function addEndpoint(page: Page, model: { baseUrl: string; model: string }): Promise<void> {
  await page.keyboard.press('Control+Comma');
  await page.getByRole('tab', { name: 'Models' }).click();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Recorded');
  await page.getByRole('textbox', { name: 'Base URL' }).fill(model.baseUrl);
  await page.getByRole('textbox', { name: 'Model id' }).fill(model.model);
  await page.getByRole('button', { name: 'Save endpoint' }).click();
  await expect(page.getByRole('rowheader', { name: 'Recorded' })).toBeVisible();
  await page.keyboard.press('Escape');
}

test('a computer over ssh: added, a run on it, the link lost in mid-run, nothing missing', async ({
  place,
}) => {
  test.setTimeout(240_000);
  const model = await startDemoModel({ resourcesDir: resources, paceMs: 25 });
  const files = await ClientFiles.make();
  const host = await startSshHost({ authorizedKeys: [files.key.publicLine] });
  try {
    await files.add('box', host);
    giveToApplication(files.folder);
    const waymark = await place.start({
      args: ['--workspace', place.workspace],
      env: { WAYMARK_SSH_CONFIG: files.configFile },
    });
    const { app, page, complaints } = waymark;
    await giveName(page, 'Grace');
    await addEndpoint(page, model);

    expect(existsSync(files.knownHosts)).toBe(false);
    await addComputer(place, waymark, host);
    expect(readFileSync(files.knownHosts, 'utf8')).toContain('ssh-ed25519');
    const settings = JSON.parse(readFileSync(join(place.data, 'settings.json'), 'utf8'));
    expect(settings.computers).toMatchObject([{ alias: 'box', transport: 'ssh2' }]);

    await page.keyboard.press('Control+KeyN');
    await place.answerFolder(app, join(resources, 'demo', 'task'));
    await page.getByRole('button', { name: 'Add task package' }).click();
    await page.getByRole('combobox', { name: 'Where local is' }).selectOption('box');
    await page.getByRole('checkbox', { name: 'Ask before commands that are not read-only' }).uncheck();
    await page.getByRole('button', { name: 'Start run' }).click();
    await expect(row(page, 4)).toBeVisible({ timeout: 60_000 });

    // Every packet vanishes: nobody is told, and the window finds out by itself.
    await host.network?.drop();
    const chip = page.getByTestId('run-computers').locator('[data-health]').first();
    // Down is soon followed by the next try, so on a busy machine nobody may see it.
    await expect(chip).toHaveAttribute('data-health', /stalled|down|connecting/, { timeout: 20_000 });
    await expect(runState(page)).toHaveAttribute('data-state', 'waiting_host', { timeout: 30_000 });
    await host.network?.undrop();
    await expect(chip).toHaveAttribute('data-health', 'good', { timeout: 45_000 });
    await runEnded(page);

    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    const run = runs[0]?.id ?? '';
    expect(commandLine(place, 'run', 'show', run)).toMatchObject({
      status: 'finished',
      computers: [{ name: 'local', kind: 'ssh', host: 'box' }],
    });
    expect(commandLine(place, 'verify')).toMatchObject({ ok: true });
    const { sessions } = commandLine<{
      sessions: { session: string; uid: string; endOffset: number; gaps: unknown[] }[];
    }>(place, 'session', 'list', '--run', run);
    expect(sessions.length).toBeGreaterThan(0);
    for (const { session, uid, endOffset, gaps } of sessions) {
      expect(gaps).toEqual([]);
      // The idle sessions of a finished run are closed; their logs stay on the host under their ids.
      const log = `${spools}/${run}/.closed-${uid}/spool`;
      // The run has ended here a moment before its host has closed the session.
      const closed = `until [ -e ${log} ]; do sleep 0.05; done; base64 -w0 ${log}`;
      const there = Buffer.from(await host.shell(closed), 'base64');
      const here = commandOutput(place, 'session', 'tail', session, '--run', run, '--all', '--raw');
      expect(here.equals(there)).toBe(true);
      expect(endOffset).toBe(there.length);
    }
    commandLine({ ...place, env: { WAYMARK_SSH_CONFIG: files.configFile } }, 'run', 'remove', run);
    expect(complaints).toEqual([]);
  } finally {
    await host.stop();
    await files.remove();
    await model.close();
  }
});

test('another host key: the same type is compared, nothing but disconnecting, and nothing recorded', async ({
  place,
}) => {
  test.setTimeout(120_000);
  const files = await ClientFiles.make();
  const host = await startSshHost({ authorizedKeys: [files.key.publicLine] });
  try {
    await files.add('box', host);
    await files.trust(host);
    const known = fingerprint(`${host.hostKey('ed25519').file}.pub`);
    const rsa = fingerprint(`${host.hostKey('rsa').file}.pub`);
    await host.changeHostKeys();
    giveToApplication(files.folder);
    const before = await files.known();
    const { page, complaints } = await place.start({
      args: ['--workspace', place.workspace],
      env: { WAYMARK_SSH_CONFIG: files.configFile },
    });
    await giveName(page, 'Grace');
    await page.getByRole('button', { name: 'Add a computer' }).first().click();
    await page.getByRole('textbox', { name: 'Host' }).fill('box');
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const sheet = page.getByRole('alertdialog', { name: 'The host key of box has changed' });
    await expect(sheet.getByTestId('key-offered')).toContainText(
      fingerprint(`${host.hostKey('ed25519').file}.pub`),
    );
    // Three types are on record; the one of the offered type is line 1.
    await expect(sheet.getByTestId('key-known')).toContainText(known);
    await expect(sheet.getByTestId('key-known')).toContainText(`ssh-ed25519, ${files.knownHosts}:1`);
    await expect(sheet.getByTestId('key-offered')).toContainText('ssh-ed25519');
    // Closing it is disconnecting too; copying the command that removes the old line is all there is besides.
    const offered = await sheet.getByRole('button').allTextContents();
    expect(offered.filter((name) => !/^(?:Disconnect|Copy.*|)$/.test(name.trim()))).toEqual([]);
    await expect(sheet.locator('[data-autofocus]')).toHaveText('Disconnect');
    await expect(sheet.locator('[data-autofocus]')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.locator('[data-outcome=failed]')).toBeVisible();
    const stage = page.locator('li[data-stage=host_key]');
    await expect(stage).toContainText(`instead of ${known} (${files.knownHosts}:1)`);
    await expect(stage).not.toContainText('rsa');
    expect(await files.known()).toBe(before);

    // Now only an RSA key is on record, and the host has none.
    writeFileSync(files.knownHosts, `${before.split('\n')[2]}\n`);
    await host.changeHostKeys(['ed25519']);
    await page.getByRole('button', { name: 'Test again' }).click();
    await expect(sheet.getByTestId('key-known')).toContainText(
      'No ed25519 key on record; the RSA key is known',
    );
    await expect(sheet.getByTestId('key-known')).toContainText(rsa);
    await expect(sheet.getByTestId('key-known')).toContainText(`ssh-rsa, ${files.knownHosts}:1`);
    await page.keyboard.press('Enter');
    await expect(stage).toContainText(`and ssh-rsa ${rsa} is known (${files.knownHosts}:1)`);
    expect(await host.log()).not.toContain('Accepted');
    expect(complaints).toEqual([]);
  } finally {
    await host.stop();
    await files.remove();
  }
});
