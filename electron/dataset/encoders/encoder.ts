import { JsonPieces, type Shared } from './json-pieces';

/**
 * Makes the bytes of a data file from its records. They depend on the records and on where `border` was called, on nothing else.
 */
export interface RecordEncoder {
  add(value: Readonly<Record<string, unknown>>): Buffer[];
  /** Gives out all that it held back: the export can go on from here later. */
  border(): Buffer[];
  /** What it holds at a border, as data that a structured clone keeps; `restore` of a new encoder takes it back. */
  save(): unknown;
  restore(saved: unknown): void;
  /** The rest of the file. */
  end(): Buffer[];
}

/** One line of JSON for each record. */
export class JsonlEncoder implements RecordEncoder {
  /** The record that came last: a preset may repeat it. */
  private last: { value: unknown; line: Buffer[] } | null = null;
  private readonly json: JsonPieces;

  constructor(shared?: Shared) {
    this.json = new JsonPieces(shared);
  }

  add(value: Readonly<Record<string, unknown>>): Buffer[] {
    if (this.last?.value !== value) this.last = { value, line: this.json.of(value, '', '\n') };
    return this.last.line;
  }

  border(): Buffer[] {
    return [];
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

/** One JSON array, a record in each line; an empty one without records. */
export class ArrayEncoder implements RecordEncoder {
  private records = 0;
  private readonly json = new JsonPieces();

  add(value: Readonly<Record<string, unknown>>): Buffer[] {
    this.records += 1;
    return this.json.of(value, this.records === 1 ? '[\n' : ',\n');
  }

  border(): Buffer[] {
    return [];
  }

  save(): unknown {
    return this.records;
  }

  restore(saved: unknown): void {
    this.records = saved as number;
  }

  end(): Buffer[] {
    return [Buffer.from(this.records === 0 ? '[]\n' : '\n]\n')];
  }
}
