/**
 * Packs the bytes of one file while it is written, in constant memory. What it has packed depends on the bytes and on where
 * `border` was called, on nothing else: an export that goes on from a border writes the same file.
 */
export interface Packer {
  /** Bytes of the packed file, as far as they are known; the rest comes with the next call. */
  push(bytes: Buffer): Buffer[];
  /** What it holds, as data that a structured clone keeps; `restore` of a new packer takes it back. */
  save(): unknown;
  restore(saved: unknown): void;
  /** The rest of the file. */
  end(): Buffer[];
}

/** Leaves bytes as they are. */
export class NoPacker implements Packer {
  push(bytes: Buffer): Buffer[] {
    return [bytes];
  }

  save(): unknown {
    return null;
  }

  restore(): void {
    // Nothing was held.
  }

  end(): Buffer[] {
    return [];
  }
}
