import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import { attentionVersion } from '@shared/runs/attention/attention-fold';
import type { AttentionState } from '@shared/runs/attention/attention-state';
import { inside } from '../../files/inside';
import { makeFoldersIn, modesIn } from '../../files/private';
import { readRegularFileSync } from '../../files/regular-file';
import { removeFile } from '../../files/remove';
import { attentionFolder, parsedRun } from '../../files/workspace-paths';
import { systemCode } from '../file/database';

/** Set aside after so many events, so that a start reads only the end of a long run. */
const EVERY_EVENTS = 2_000;

/** Names and numbers of 174,500 steps are a few MB. */
const MOST_BYTES = 64 * 1024 ** 2;

const FOLDER = ['cache', 'attention'];
const OURS = /^([0-9A-Z]{26})\.json(?:\.\d+\.new)?$/;

/**
 * What was folded of each run, beside the workspace's database: `cache/attention/<run>.json`. Nothing depends on it: a file
 * that is missing, old or damaged costs one reading of the run. It holds names and numbers, no texts.
 */
export class AttentionCache {
  private readonly workspace: string;
  private readonly saved = new Map<string, number>();

  constructor(workspace: string) {
    this.workspace = workspace;
  }

  load(run: string): AttentionState | null {
    let text: string;
    try {
      text = readRegularFileSync(this.path(run), `${run}.json`, MOST_BYTES, '').toString('utf8');
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError)) throw thrown;
      // Not there, not readable, or something else in its place: the log is read instead.
      return null;
    }
    const state = parsed(text);
    if (state?.version !== attentionVersion || state.run !== run) return null;
    this.saved.set(run, state.seq);
    return state;
  }

  /** `rests`: nothing more is to come soon. */
  keep(state: AttentionState, rests: boolean): void {
    const saved = this.saved.get(state.run) ?? 0;
    if (state.seq === saved || (!rests && state.seq - saved < EVERY_EVENTS)) return;
    const name = `${parsedRun(state.run)}.json.${process.pid}.new`;
    try {
      makeFoldersIn(this.workspace, 'cache', 'attention');
      // Whatever has the name already is never written through.
      const fresh = inside(this.workspace, ...FOLDER, name);
      writeFileSync(fresh, JSON.stringify(state), { mode: modesIn(this.workspace).file, flag: 'wx' });
      renameSync(fresh, this.path(state.run));
      this.saved.set(state.run, state.seq);
    } catch (thrown) {
      if (systemCode(thrown) === '') throw thrown;
      // A full or read-only disk, or something else in its place, costs time at the next start, nothing else.
      if (thrown instanceof WaymarkError) return;
      removeFile(this.workspace, ...FOLDER, name);
    }
  }

  /** Drops what is kept of runs that are there no more. */
  keepOnly(runs: ReadonlySet<string>): void {
    let names: string[];
    try {
      names = readdirSync(attentionFolder(this.workspace));
    } catch (thrown) {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return;
    }
    for (const name of names) {
      // Only what this class makes; whatever else lies there is somebody else's.
      const run = OURS.exec(name)?.[1];
      if (isId(run) && !runs.has(run)) removeFile(this.workspace, ...FOLDER, name);
    }
  }

  forget(run: string): void {
    this.saved.delete(run);
    removeFile(this.workspace, ...FOLDER, `${parsedRun(run)}.json`);
  }

  private path(run: string): string {
    return inside(this.workspace, ...FOLDER, `${parsedRun(run)}.json`);
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
