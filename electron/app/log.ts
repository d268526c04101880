import { join } from 'node:path';
import log from 'electron-log/node';
import type { SecretScanner } from '../secrets/scanner';

/** What the engine and the application write to: local files only, rotated, never with secrets. */
export interface Log {
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

export interface FileLog extends Log {
  /** The folder that holds the current and the previous log file. */
  readonly folder: string;
}

const maxLogBytes = 2 * 1024 * 1024;

/** Logs to `<folder>/logs/waymark.log`, 2 MB and one older file. What `scanner` takes for a secret is replaced. */
export function openLog(folder: string, scanner: SecretScanner): FileLog {
  const logs = join(folder, 'logs');
  log.transports.file.resolvePathFn = () => join(logs, 'waymark.log');
  log.transports.file.maxSize = maxLogBytes;
  log.transports.file.format = '{iso} {level} {text}';
  log.transports.console.level = false;
  const write = (level: 'info' | 'warn' | 'error') => (message: string, facts?: Record<string, unknown>) => {
    const line = facts ? `${message} ${JSON.stringify(facts)}` : message;
    log[level](scanner.redact(line));
  };
  return { folder: logs, info: write('info'), warn: write('warn'), error: write('error') };
}
