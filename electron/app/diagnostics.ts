import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { AppInfo } from '@shared/contract/ipc/application';
import type { Settings } from '@shared/contract/settings';
import type { RunSummary } from '@shared/contract/views';
import { writeOutput } from '../files/output-file';
import type { SecretScanner } from '../secrets/scanner';

export interface DiagnosticsInput {
  info: AppInfo;
  settings: Settings;
  runs: RunSummary[];
  logFolder: string;
  scanner: SecretScanner;
}

/**
 * Writes one readable JSON file for a bug report: versions, machine, counts and the log. Every text in it passes the scanner of
 * secrets. No keys, no task or model text, no names of people or endpoints' addresses.
 */
export async function writeDiagnostics(path: string, input: DiagnosticsInput): Promise<void> {
  const { info, settings, scanner } = input;
  const report = {
    application: info,
    machine: { platform: process.platform, release: release(), cpus: cpus().length, memoryBytes: totalmem() },
    settings: {
      theme: settings.theme,
      language: settings.language,
      endpoints: settings.endpoints.length,
      keys: settings.keys,
      notifications: settings.notifications,
      keepAwake: settings.keepAwake,
    },
    runs: input.runs.map(({ id, state, reason, steps, events, segments }) => ({
      id,
      state,
      reason,
      steps,
      events,
      segments,
    })),
    // As a whole, before it is cut into lines: a private key has several.
    log: scanner.redact(await readLog(input.logFolder)).split('\n'),
  };
  const clean = (_key: string, value: unknown) => (typeof value === 'string' ? scanner.redact(value) : value);
  await writeOutput(path, `${JSON.stringify(report, clean, 2)}\n`);
}

async function readLog(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, 'waymark.log'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
