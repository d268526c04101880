import { version } from '../../package.json';
import { sqliteVersion } from '../store/file/database';
import type { CommandResult } from './output';

/** `version` and `--version`: what runs here; needs no workspace. */
export function versionCommand(): CommandResult {
  const runtime = { node: process.versions.node, sqlite: sqliteVersion() };
  return {
    json: { version, ...runtime },
    lines: [`Waymark ${version} (Node.js ${runtime.node}, SQLite ${runtime.sqlite})`],
  };
}
