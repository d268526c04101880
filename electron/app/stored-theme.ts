import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The chosen theme, read without the schema of the settings: the window has its colour before that is loaded. What cannot
 * be read is `system` here; `SettingsFile` says what is wrong with it.
 */
export function storedTheme(data: string): 'system' | 'light' | 'dark' {
  try {
    const { theme } = JSON.parse(readFileSync(join(data, 'settings.json'), 'utf8')) as { theme?: unknown };
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}
