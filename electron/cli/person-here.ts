import { type ProcessTable, processTable } from '../computer/local/process-table';

/** More ancestors than any process has that a person started. */
const mostAncestors = 200;

/**
 * Why nobody at this terminal may answer for a person, as the end of a sentence; null: whoever types is taken for one. What an agent runs is
 * no person, though its sessions are terminals too. An aid: an unisolated agent that hides where it comes from can do all that
 * its person can.
 */
export async function whyNoPerson(
  table: ProcessTable = processTable(),
  self = process.pid,
): Promise<string | null> {
  let row = await table.one(self);
  // Who reads from a terminal in the background is stopped by it.
  if (row !== undefined && row.foreground !== row.group) return 'this process is in the background';
  for (let depth = 0; row !== undefined && depth < mostAncestors; depth += 1) {
    if (await table.startedIn(row)) return 'this terminal belongs to a session of Waymark';
    row = row.parent > 1 ? await table.one(row.parent) : undefined;
  }
  return null;
}
