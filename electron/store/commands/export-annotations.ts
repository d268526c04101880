import { OutputFile } from '../../files/output-file';
import { ANNOTATION_FORMAT, ANNOTATION_FORMAT_VERSION } from '../log/annotation-source';
import { type SourceEntry, storedEntries } from '../log/stored-entries';
import type { ReadContext } from '../queries/read-context';

/** Lines between two turns of the event loop. */
const TURN = 500;

/**
 * Writes the whole annotation log into a file of JSON lines: a header, each entry verbatim with its link of the chain,
 * and a last line that counts them. The file appears whole or not at all. Returns how many entries.
 * @throws WaymarkError as `outputFailure`
 */
export async function exportAnnotations({ statements }: ReadContext, path: string): Promise<number> {
  const file = await OutputFile.begin(path, 0o600);
  let entries = 0;
  try {
    let lines = [JSON.stringify({ format: ANNOTATION_FORMAT, version: ANNOTATION_FORMAT_VERSION })];
    for (const entry of storedEntries(statements)) {
      lines.push(asLine(entry));
      entries += 1;
      if (lines.length >= TURN) {
        await file.write(`${lines.join('\n')}\n`);
        lines = [];
      }
    }
    await file.write(`${[...lines, JSON.stringify({ entries })].join('\n')}\n`);
  } catch (thrown) {
    await file.abandon();
    throw thrown;
  }
  await file.commit();
  return entries;
}

function asLine({ device, deviceSeq, ulid, run, body, hash }: SourceEntry): string {
  return JSON.stringify(body === '' ? { hash, purged: true, device, deviceSeq, ulid, run } : { hash, body });
}
