import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';

/** With Linux's /proc a folder is reached by its descriptor, whatever becomes of its name. */
const PROC = existsSync('/proc/self/fd') ? '/proc/self/fd' : null;

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * A folder that is held open, so that nobody can put a link or another folder in its place between a look and a deed. Where
 * there is no /proc it is known by its name and looked at again before each deed: only who may write in the folder above it
 * could get in between, and Waymark's own folders give that to nobody else.
 */
export class HeldFolder {
  private constructor(
    private readonly fd: number | null,
    /** As a person would name it. */
    readonly path: string,
    private readonly facts: Stats,
  ) {}

  /** Links on the way to it are followed, as a person wrote them. @throws the system's error, ENOENT among them */
  static root(path: string): HeldFolder {
    return HeldFolder.hold(path, path, 0);
  }

  /** A folder in it. @throws WaymarkError refused where there is a link or a file; the system's error, ENOENT among them */
  below(name: string | Buffer): HeldFolder {
    const path = join(this.path, name.toString());
    if (!this.look(name).isDirectory()) throw notDeleted(path, 'not a folder');
    return HeldFolder.hold(this.entry(name), path, NO_LINK);
  }

  private static hold(at: string | Buffer, path: string, flags: number): HeldFolder {
    if (PROC === null) return new HeldFolder(null, path, lstatSync(at));
    const fd = openSync(at, FOLDER | flags);
    return new HeldFolder(fd, path, fstatSync(fd));
  }

  get uid(): number {
    return this.facts.uid;
  }

  /** Which file system it is on. */
  get device(): number {
    return this.facts.dev;
  }

  /** For the system: leads into this very folder. @throws WaymarkError refused where another has its name by now */
  get at(): string {
    if (this.fd !== null) return `${PROC}/${this.fd}`;
    if (lstatSync(this.path).ino !== this.facts.ino) throw notDeleted(this.path, 'a different folder now');
    return this.path;
  }

  /** For the system: an entry of it. File names need not be text. */
  entry(name: string | Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.at}/`), Buffer.from(name)]);
  }

  /** What stands there, the link itself if it is one. */
  look(name: string | Buffer): Stats {
    return lstatSync(this.entry(name));
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
  }
}

export function notDeleted(path: string, why: string): WaymarkError {
  return new WaymarkError(
    'refused',
    `${path} was not deleted: it is ${why}. Check it, and delete it by hand.`,
  );
}
