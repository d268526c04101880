import type { GroupCommit } from '../log/group-commit';
import { isInFile } from './blob-store';
import type { Statements } from './rows';
import { UnusedFiles } from './unused-files';

const BATCH = 200;

interface OwnedText {
  id: number;
  sha: Buffer;
  encoding: number;
}

/** Lets go of stored texts that a run no longer refers to: another run that uses one becomes its owner, else it is deleted. */
export class TextRelease {
  private readonly files: UnusedFiles;

  constructor(
    private readonly statements: Statements,
    private readonly group: Pick<GroupCommit, 'add'>,
    folder: string,
  ) {
    this.files = new UnusedFiles(statements, group, folder);
  }

  /** `kept`: hashes (hex) that the run's events still refer to. Small transactions; may be repeated. */
  async release(run: number, kept: ReadonlySet<string>): Promise<void> {
    const isGone = ({ sha }: { sha: Buffer }) => !kept.has(sha.toString('hex'));
    const shared = this.statements
      .all<OwnedText>(
        'SELECT b.id, b.sha, b.encoding FROM blob_share s JOIN blob b ON b.id = s.blob WHERE s.run = ?',
        run,
      )
      .filter(isGone);
    const owned = this.statements
      .all<OwnedText>('SELECT id, sha, encoding FROM blob WHERE run = ?', run)
      .filter(isGone);
    for (const batch of batches(shared)) {
      await this.group.add({
        run: () => {
          for (const { id } of batch) {
            this.statements.run('DELETE FROM blob_share WHERE blob = ? AND run = ?', id, run);
          }
        },
      });
    }
    for (const batch of batches(owned)) {
      const deleted = await this.group.add({ run: () => batch.filter((text) => this.disown(run, text)) });
      const files = deleted.filter(({ encoding }) => isInFile(encoding));
      await this.files.delete(files.map(({ sha }) => sha.toString('hex')));
    }
  }

  /** True when nobody else used the text and its row is gone. */
  private disown(run: number, { id, sha }: OwnedText): boolean {
    // Another process may have finished the same removal since, and the number may be another text's by now.
    const same = 'SELECT 1 FROM blob WHERE id = ? AND run = ? AND sha = ?';
    if (this.statements.get(same, id, run, sha) === undefined) {
      return false;
    }
    const heir = this.statements.get<{ run: number | null }>(
      'SELECT min(run) AS run FROM blob_share WHERE blob = ?',
      id,
    )?.run;
    if (heir === null || heir === undefined) {
      this.statements.run('DELETE FROM blob WHERE id = ?', id);
      return true;
    }
    this.statements.run('UPDATE blob SET run = ? WHERE id = ?', heir, id);
    this.statements.run('DELETE FROM blob_share WHERE blob = ? AND run = ?', id, heir);
    return false;
  }
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) {
    yield items.slice(start, start + BATCH);
  }
}
