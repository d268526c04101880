import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { jsonFault } from '@shared/base/json';
import { WaymarkError } from '@shared/contract/errors';
import { megabytes, PIECE, piecesOfRegularFile, readRegularFile } from '../../../files/regular-file';
import { type JsonShape, JsonShapes, jsonShape } from '../json-shape';
import { type GymNode, mostNesting, nestsBeyond, nodesOf } from './node';

/** What one import takes; every message that refuses more names the number. */
const limits = {
  /** Bytes of one file, and of all together. */
  file: 256 * 1024 ** 2,
  all: 512 * 1024 ** 2,
  /** Bytes of the files beside the tree, which are kept verbatim. */
  beside: 16 * 1024 ** 2,
  files: 20_000,
  /** Values in all files together. */
  values: 3_000_000,
} as const;

/** Bytes after which it is said again how many were read. */
const toldEach = 4 * 1024 ** 2;

const wanted = 'Name a node (react_….json), a tree (tree_data.json) or the folder of a checkpoint.';

export interface GymSource {
  files: { name: string; bytes: number; sha256: string }[];
  /** Each id once; of a node that stands in several files, the one in the tree file. */
  nodes: GymNode[];
  /** Other JSON files beside the tree, verbatim. */
  beside: Record<string, unknown>;
}

/**
 * Reads a ResearchGym node file, a tree file, or a folder: a checkpoint (`tree_data.json`, perhaps `nodes/`) or loose nodes.
 * Takes regular files only and follows no link, so that nothing outside what was named is read.
 * @param tell how many files and bytes were read so far
 * @throws WaymarkError not_found, bad_input that names the file and the reason
 */
export async function readGymSource(
  path: string,
  tell: (files: number, bytes: number) => void = () => undefined,
): Promise<GymSource> {
  const kind = await kindOf(path);
  if (kind === null)
    throw new WaymarkError('not_found', `There is nothing at ${path}. Name a file or a folder.`);
  if (kind === 'link')
    throw new WaymarkError('bad_input', `${path} is a link, and links are not followed. ${wanted}`);
  const reading = new GymReading(tell);
  if (kind === 'other') {
    await reading.take(path, basename(path));
    return reading.source;
  }
  const names = await jsonNames(path, '');
  const nodes = join(path, 'nodes');
  const inner = (await kindOf(nodes)) === 'folder' ? await jsonNames(nodes, 'nodes/') : [];
  if (names.length + inner.length > limits.files)
    throw new WaymarkError(
      'bad_input',
      `${path} holds more than ${limits.files} JSON files. Nothing was imported. Import its trees one by one.`,
    );
  for (const name of names.filter(isTree)) await reading.take(join(path, name), name);
  for (const name of names.filter(isNode)) await reading.take(join(path, name), name);
  for (const name of inner) await reading.take(join(nodes, name), `nodes/${name}`);
  if (reading.source.nodes.length === 0) {
    throw new WaymarkError(
      'bad_input',
      `${path} contains no ResearchGym node: neither tree_data.json nor files such as react_….json, here or in nodes/. Name a node, a tree or the folder of a checkpoint.`,
    );
  }
  for (const name of names.filter((each) => !isTree(each) && !isNode(each)))
    await reading.keep(join(path, name), name);
  return reading.source;
}

/** Files of one import, and what is left of its limits. */
class GymReading {
  readonly source: GymSource = { files: [], nodes: [], beside: {} };
  private readonly known = new Set<string>();
  private files = 0;
  private bytes = 0;
  private beside = 0;
  private values = 0;

  constructor(private readonly tell: (files: number, bytes: number) => void) {}

  /** A node or a tree. */
  async take(file: string, name: string): Promise<void> {
    const { value, record } = await this.json(file, name, limits.file);
    const { nodes, problem } = nodesOf(value, name);
    if (problem !== null) {
      throw new WaymarkError(
        'bad_input',
        `${name} is not a ResearchGym node or tree. ${problem}. Nothing was imported. ${wanted}`,
      );
    }
    this.source.files.push(record);
    for (const node of nodes) {
      if (!this.known.has(node.id)) this.source.nodes.push(node);
      this.known.add(node.id);
    }
  }

  /** Another file, kept as it is. */
  async keep(file: string, name: string): Promise<void> {
    const { value, record } = await this.json(file, name, limits.beside - this.beside);
    this.beside += record.bytes;
    const deep = nestsBeyond(value, mostNesting);
    if (deep) throw refused(name, `it nests deeper than ${mostNesting} levels`);
    this.source.files.push(record);
    // Some names mean something else to an object.
    Object.defineProperty(this.source.beside, name, { value, enumerable: true });
  }

  /**
   * A large file is held whole only when it has the shape of a document. Null: it is small.
   * @throws WaymarkError bad_input, not_found
   */
  private lookFirst(file: string, name: string, most: number): JsonShape | null {
    const shapes = new JsonShapes(limits.values - this.values);
    let first = true;
    for (const piece of piecesOfRegularFile(file, name, most)) {
      if (first && piece.length < PIECE) return null;
      first = false;
      const problem = shapes.take(piece);
      if (problem !== null) throw refused(name, problem);
    }
    if (first) return null;
    const shape = shapes.end();
    if (shape.problem !== null) throw refused(name, shape.problem);
    return shape;
  }

  private async json(
    file: string,
    name: string,
    most: number,
  ): Promise<{ value: unknown; record: GymSource['files'][number] }> {
    const looked = this.lookFirst(file, name, Math.min(most, limits.file));
    const bytes = await readRegularFile(file, name, Math.min(most, limits.file));
    const before = this.bytes;
    this.files += 1;
    this.bytes += bytes.length;
    if (this.files % 200 === 0 || Math.floor(before / toldEach) < Math.floor(this.bytes / toldEach))
      this.tell(this.files, this.bytes);
    if (this.bytes > limits.all)
      throw refused(name, `with it the import holds more than ${megabytes(limits.all)} MB`);
    if (!isUtf8(bytes)) throw refused(name, 'it is not UTF-8 text');
    const { values, problem } = looked ?? jsonShape(bytes, limits.values - this.values);
    this.values += values;
    if (problem !== null) throw refused(name, problem);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    try {
      return { value: JSON.parse(bytes.toString('utf8')), record: { name, bytes: bytes.length, sha256 } };
    } catch (error) {
      throw new WaymarkError(
        'bad_input',
        `${name} is not JSON: ${jsonFault(bytes.toString('utf8'), error as Error)}. Nothing was imported. ${wanted}`,
      );
    }
  }
}

function refused(name: string, why: string): WaymarkError {
  return new WaymarkError('bad_input', `${name} cannot be imported: ${why}. Nothing was imported.`);
}

/** Null: there is nothing. */
async function kindOf(path: string): Promise<'folder' | 'link' | 'other' | null> {
  const info = await lstat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(thrown.code ?? ''))
      return null;
    throw new WaymarkError('bad_input', `${path} cannot be read: ${thrown.message}. Nothing was imported.`);
  });
  if (info === null) return null;
  if (info.isSymbolicLink()) return 'link';
  return info.isDirectory() ? 'folder' : 'other';
}

async function jsonNames(folder: string, prefix: string): Promise<string[]> {
  const names = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
    throw new WaymarkError(
      'bad_input',
      `${prefix === '' ? folder : prefix} cannot be read: ${thrown.message}. Nothing was imported.`,
    );
  });
  return names.filter((name) => name.endsWith('.json')).sort();
}

function isTree(name: string): boolean {
  return name === 'tree_data.json';
}

function isNode(name: string): boolean {
  return /^(?:react|summary|root|done)_/.test(name) && !name.endsWith('_params.json');
}
