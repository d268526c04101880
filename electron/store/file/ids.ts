/** Rows of a run share their key's upper bits, so order, range and gap check need one key. */
const SHIFT = 2 ** 32;

/** Largest run number whose keys are still safe integers. */
export const MAX_RUN = 2 ** 21 - 1;

/** Key of event `seq` or of step `seq` of a run. */
export function rowId(run: number, seq: number): number {
  return run * SHIFT + seq;
}

/** The per-run number (seq or step) inside a key. */
export function seqOf(id: number): number {
  return id % SHIFT;
}

export const LAST_SEQ = SHIFT - 1;

/** Steps per minimap tile. */
export const TILE_STEPS = 64;

/** Key of the tile that holds a step; steps count from 1. */
export function tileId(run: number, step: number): number {
  return rowId(run, Math.floor((step - 1) / TILE_STEPS));
}
