import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attentionVersion } from '@shared/attention-fold';
import type { AttentionState } from '@shared/attention-state';
import { systemCode } from './database';

/** Set aside after so many events, so that a start reads only the end of a long run. */
const EVERY_EVENTS = 2_000;

/**
 * What was folded of each run, beside the workspace's database: `cache/attention/<run>.json`. Nothing depends on it: a file
 * that is missing, old or damaged costs one reading of the run. It holds names and numbers, no texts.
 */
export class AttentionCache {
  readonly #folder: string;
  readonly #saved = new Map<string, number>();

  constructor(workspace: string) {
    this.#folder = join(workspace, 'cache', 'attention');
  }

  load(run: string): AttentionState | null {
    let text: string;
    try {
      text = readFileSync(this.#path(run), 'utf8');
    } catch (thrown) {
      if (systemCode(thrown) === '') throw thrown;
      // Not there, or not readable: the log is read instead.
      return null;
    }
    const state = parsed(text);
    if (state?.version !== attentionVersion || state.run !== run) return null;
    this.#saved.set(run, state.seq);
    return state;
  }

  /** `rests`: nothing more is to come soon. */
  keep(state: AttentionState, rests: boolean): void {
    const saved = this.#saved.get(state.run) ?? 0;
    if (state.seq === saved || (!rests && state.seq - saved < EVERY_EVENTS)) return;
    const path = this.#path(state.run);
    const fresh = `${path}.${process.pid}.new`;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(fresh, JSON.stringify(state));
      renameSync(fresh, path);
      this.#saved.set(state.run, state.seq);
    } catch (thrown) {
      if (systemCode(thrown) === '') throw thrown;
      // A full or read-only disk costs time at the next start, nothing else.
      rmSync(fresh, { force: true });
    }
  }

  /** Drops what is kept of runs that are there no more. */
  keepOnly(runs: ReadonlySet<string>): void {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch (thrown) {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return;
    }
    for (const name of names) {
      const [run = ''] = name.split('.');
      if (!runs.has(run)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  forget(run: string): void {
    this.#saved.delete(run);
    rmSync(this.#path(run), { force: true });
  }

  #path(run: string): string {
    return join(this.#folder, `${run}.json`);
  }
}

/** A file that was cut off in the middle is none. */
function parsed(text: string): AttentionState | null {
  try {
    return JSON.parse(text) as AttentionState;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}
