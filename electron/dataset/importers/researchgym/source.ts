import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { type GymNode, nodesOf } from './node';

/** A tree of more than this is not read into memory in one piece. */
const MAX_BYTES = 2 * 1024 ** 3;

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
 * @throws WaymarkError not_found, bad_input that names the file
 */
export async function readGymSource(path: string): Promise<GymSource> {
  const info = await stat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw thrown;
  });
  if (info === null)
    throw new WaymarkError('not_found', `There is nothing at ${path}. Name a file or a folder.`);
  const source: GymSource = { files: [], nodes: [], beside: {} };
  const known = new Set<string>();
  const take = async (file: string, name: string) => {
    const { value, record } = await readJson(file, name);
    const { nodes, problem } = nodesOf(value, name);
    if (problem !== null) {
      throw new WaymarkError(
        'bad_input',
        `${name} is no ResearchGym node or tree. ${problem}. Nothing was imported. ${wanted}`,
      );
    }
    source.files.push(record);
    for (const node of nodes) {
      if (!known.has(node.id)) source.nodes.push(node);
      known.add(node.id);
    }
  };
  if (!info.isDirectory()) {
    await take(path, basename(path));
    return source;
  }
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort();
  const inner = await readdir(join(path, 'nodes')).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return [];
    throw thrown;
  });
  for (const name of names.filter(isTree)) await take(join(path, name), name);
  for (const name of names.filter(isNode)) await take(join(path, name), name);
  for (const name of inner.filter((each) => each.endsWith('.json')).sort()) {
    await take(join(path, 'nodes', name), `nodes/${name}`);
  }
  if (source.nodes.length === 0) {
    throw new WaymarkError(
      'bad_input',
      `${path} holds no ResearchGym node: neither tree_data.json nor files such as react_….json, here or in nodes/. Name a node, a tree or the folder of a checkpoint.`,
    );
  }
  for (const name of names.filter((each) => !isTree(each) && !isNode(each))) {
    const { value, record } = await readJson(join(path, name), name);
    source.files.push(record);
    source.beside[name] = value;
  }
  return source;
}

function isTree(name: string): boolean {
  return name === 'tree_data.json';
}

function isNode(name: string): boolean {
  return /^(?:react|summary|root|done)_/.test(name) && !name.endsWith('_params.json');
}

async function readJson(
  file: string,
  name: string,
): Promise<{ value: unknown; record: GymSource['files'][number] }> {
  const { size } = await stat(file);
  if (size > MAX_BYTES)
    throw new WaymarkError(
      'bad_input',
      `${name} is larger than 2 GB. Nothing was imported. Import its nodes one by one.`,
    );
  const bytes = await readFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  try {
    return { value: JSON.parse(bytes.toString('utf8')), record: { name, bytes: bytes.length, sha256 } };
  } catch (error) {
    throw new WaymarkError(
      'bad_input',
      `${name} is no JSON: ${(error as Error).message}. Nothing was imported. ${wanted}`,
    );
  }
}
