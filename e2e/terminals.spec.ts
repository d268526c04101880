import { expect, type Page } from '@playwright/test';
import { test } from './application';
import { commandLine } from './command-line';
import { openOwnTerminal, ownView } from './own-terminal';
import { focusTimeline, runEnded, startDemo } from './story';

/** The rows on the screen of the zoomed terminal, as one text. */
function screen(page: Page) {
  return page.locator('.terminal-zoom .xterm-rows');
}

/** Sends a paste with this text to the terminal that is typed into. */
async function paste(page: Page, text: string): Promise<void> {
  await page.locator('.terminal-view-own textarea').evaluate((target, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

test('the terminals of agent and person: looked at, typed into, searched, found again', async ({ place }) => {
  test.setTimeout(180_000);
  const first = await startDemo(place);
  let { page } = first;
  let view = page;
  await runEnded(page);

  await test.step('at a step every card shows its session as it was then, and a finished run its last lines', async () => {
    const cards = page.locator('.terminal-list .terminal-card');
    const main = cards.filter({ hasText: 'local:main' });
    await expect(main).toContainText('exit');
    await expect(main).not.toContainText('No output yet');
    await focusTimeline(page);
    await page.keyboard.press('0');
    await page.getByRole('button', { name: 'At step 1', exact: true }).click();
    await expect(main).toContainText('Not open at this step');
    await expect(cards.filter({ hasText: /exit|idle|output/ })).toHaveCount(0);
    await focusTimeline(page);
    await page.keyboard.press('Control+K');
    await page.keyboard.insertText('12');
    await page.keyboard.press('Enter');
    await expect(main).toContainText('kept 411 of 1924 rows (at least 12 words)');
    await page.keyboard.press('Control+Backquote');
    const wall = page.locator('.terminal-grid .terminal-card');
    // The step ends with what its command printed; whether the next prompt had been printed by then is the shell's affair.
    await expect(wall.filter({ hasText: 'local:main' })).toContainText(
      /idle.*kept 411 of 1924 rows \(at least 12 words\)(?:\s*\S+ \$)?\s*$/s,
    );
    await expect(wall.filter({ hasText: 'exit' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await expect(wall.filter({ hasText: 'local:main' })).toContainText('exit');
    await page.keyboard.press('Control+Backquote');
    await expect(main).toBeVisible();
  });

  await test.step('a session of the agent takes no keys and goes to a line that a search found', async () => {
    const agent = page.locator('.terminal-view[data-ready=true]');
    await expect(agent).toBeVisible();
    await page.getByRole('button', { name: 'Search all sessions' }).click();
    await page.getByRole('textbox', { name: 'Search in the output of all sessions' }).fill('rows (at least');
    const hits = page.locator('.session-hit');
    await expect(hits.first()).toContainText('rows (at least');
    await hits.first().click();
    await expect(page.getByText('As it was at the line you chose.')).toBeVisible();
    await expect(screen(page).locator('div').filter({ hasText: /\S/ }).last()).toContainText(
      'rows (at least',
    );
    await page.getByRole('button', { name: 'Back to the sessions' }).click();
    await agent.click();
    await page.keyboard.type('never typed');
    await expect(screen(page)).not.toContainText('never typed');
    await page.keyboard.press('Control+KeyF');
    await page.getByRole('textbox', { name: 'Find in this terminal' }).fill('rows (at');
    await expect(page.locator('.terminal-find-count')).toHaveText(/^\d+ of \d+$/);
    await page.keyboard.press('Escape');
  });

  await test.step('a terminal of the person is typed into and follows the pane', async () => {
    view = await openOwnTerminal(first.app, page);
    await view.keyboard.type('echo "sum $((20 + 22))"; stty size\n');
    await expect(screen(view)).toContainText('sum 42');
    const rows = await screen(view).locator('> div').count();
    await expect(screen(view)).toContainText(new RegExp(`${rows} \\d{2}`));
    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    expect(JSON.stringify(commandLine(place, 'session', 'list', '--run', runs[0]?.id ?? ''))).not.toContain(
      'terminal-1',
    );
  });

  await test.step('a paste that would run lines or hides something is shown first', async () => {
    await paste(view, 'echo plain-paste');
    await view.keyboard.press('Enter');
    await expect(screen(view)).toContainText('plain-paste');
    await paste(view, 'echo one\necho tw\u200bo\x1b[201~');
    const sheet = view.getByRole('dialog', { name: 'Paste this?' });
    await expect(sheet).toContainText('2 lines');
    await expect(sheet).toContainText('⟨U+200B⟩');
    await expect(sheet).toContainText('⟨ESC⟩');
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    await expect(screen(view)).not.toContainText('echo one');
    await paste(view, 'echo first\necho second');
    await view.getByRole('button', { name: 'Paste as one line' }).click();
    await view.keyboard.press('Enter');
    await expect(screen(view)).toContainText('first echo second');
  });

  await test.step('one key shows all of them, and one key zooms', async () => {
    await view.keyboard.press('Control+Backquote');
    const cards = page.locator('.terminal-grid .terminal-card');
    await expect(cards.filter({ hasText: 'local:terminal-1' })).toBeFocused();
    await expect(cards.filter({ hasText: 'local:main' })).toBeVisible();
    await focusTimeline(page);
    await page.keyboard.press('Backquote');
    await expect(page.getByRole('button', { name: 'Go into your terminal local:terminal-1' })).toBeVisible();
  });

  await test.step('it is found again after a restart, with what it printed, and closing asks', async () => {
    expect(first.complaints).toEqual([]);
    const ended = new Promise((resolve) => first.app.process().once('exit', resolve));
    first.app.process().kill('SIGTERM');
    await ended;
    const second = await place.start();
    page = second.page;
    const card = page.locator('.terminal-list .terminal-card').filter({ hasText: 'local:terminal-1' });
    await card.click();
    view = await ownView(second.app);
    await expect(screen(view)).toContainText('first echo second');
    await view.keyboard.type('sleep 1000\n');
    await expect(card).toContainText('busy');
    await view.getByRole('button', { name: 'Close this terminal' }).click();
    await view.getByRole('button', { name: 'Close and end it' }).click();
    await expect(card).toHaveCount(0);
    expect(second.complaints).toEqual([]);
  });
});
