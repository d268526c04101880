import { type ElectronApplication, expect, type Locator, type Page } from '@playwright/test';
import type { Place } from './application';

/** Export as a person sees it: settings left, counts and tokens right, jobs in their tray. */
export class ExportScreen {
  constructor(
    private readonly page: Page,
    private readonly app: ElectronApplication,
    private readonly place: Place,
  ) {}

  /** Goes there by keyboard and waits until everything is counted. A chord of two keys has a second, which a busy machine may take. */
  async open(): Promise<void> {
    await expect(async () => {
      await this.page.keyboard.press('g');
      await this.page.keyboard.press('x');
      await expect(this.page.locator('.export')).toBeVisible({ timeout: 3_000 });
    }).toPass();
    await expect(this.page.locator('.export-counts')).toBeVisible({ timeout: 60_000 });
  }

  get write(): Locator {
    return this.page.getByRole('button', { name: 'Write files' });
  }
  get tokens(): Locator {
    return this.page.getByTestId('tokens');
  }
  get text(): Locator {
    return this.page.getByRole('region', { name: 'Rendered text' });
  }
  get facts(): Locator {
    return this.page.getByTestId('token-facts');
  }
  get tray(): Locator {
    return this.page.getByTestId('jobs');
  }

  /** What the counts say of a fate: the steps in its line. */
  async steps(state: 'train' | 'mask'): Promise<number> {
    const cell = this.page.locator(`.export-group[data-state=${state}] td`).first();
    return Number((await cell.innerText()).replaceAll(',', ''));
  }

  /** Chooses a tokenizer through the system's dialog. */
  async chooseTokenizer(folder: string): Promise<void> {
    await this.place.answerFolder(this.app, folder);
    await this.page.getByTestId('tokenizer').click();
    await expect(this.text).toBeVisible({ timeout: 60_000 });
  }

  /** Token under the cursor. */
  async cursor(): Promise<number> {
    return Number(await this.text.getAttribute('data-cursor'));
  }

  async tickVariants(...names: string[]): Promise<void> {
    for (const name of names) {
      await this.page.locator('.export-variants').getByRole('checkbox', { name }).check();
    }
  }

  /** Writes to a folder, waits for the job and leaves the tray. */
  async writeTo(folder: string): Promise<void> {
    await this.place.answerFolder(this.app, folder);
    await expect(this.write).toBeEnabled();
    await this.write.click();
    await this.written(folder);
  }

  /** The job of this folder is done; the tray is left. */
  async written(folder: string): Promise<void> {
    const job = this.tray.locator('.job').filter({ hasText: folder });
    await expect(job.first()).toHaveAttribute('data-state', 'done', { timeout: 60_000 });
    await this.page.keyboard.press('Escape');
    await expect(this.tray).toHaveCount(0);
  }
}
