import { findIsolation } from '../computer/local/sandbox/bubblewrap';

const isolation = await findIsolation();

/** Why tests of sandboxes are skipped on this machine, for their titles; undefined where there are some. */
export const sandboxMissing = isolation.kind === 'none' ? isolation.why : undefined;
