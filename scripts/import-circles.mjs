import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

const specifiers = /(?:\bfrom|\bimport|\bimport\()\s*['"]([^'"\n]+)['"]/g;
const endings = ['', '.ts', '.tsx', '.mts', '.mjs'];

/**
 * What each file of a folder imports of the same folder, types included: Biome's own rule passes over those.
 *
 * @param {string} root the folder that paths are relative to
 * @param {string} folder below it
 * @returns {Map<string, string[]>} by path with forward slashes
 */
export function importsWithin(root, folder) {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      const found = [...source.matchAll(specifiers)].flatMap(([, specifier]) => {
        if (!specifier.startsWith('.')) return [];
        const base = posix.join(dirname(file), specifier);
        const target = endings.map((ending) => base + ending).find((path) => known.has(path));
        return target === undefined || target === file ? [] : [target];
      });
      return [file, [...new Set(found)]];
    }),
  );
}

/**
 * The rooms a file graph makes: what one room's files import of another's.
 *
 * @param {Map<string, string[]>} graph
 * @param {(file: string) => string | null} roomOf null = not in a room
 */
export function roomGraph(graph, roomOf) {
  const rooms = new Map();
  for (const [file, targets] of graph) {
    const room = roomOf(file);
    if (room === null) continue;
    const known = rooms.get(room) ?? rooms.set(room, new Set()).get(room);
    for (const target of targets.map(roomOf)) if (target !== null && target !== room) known.add(target);
  }
  return new Map([...rooms].map(([room, targets]) => [room, [...targets]]));
}

/**
 * Every set of nodes that lead to one another (Tarjan).
 *
 * @param {Map<string, string[]>} graph
 * @returns {string[][]} sorted
 */
export function circlesIn(graph) {
  const seen = new Map();
  const circles = [];
  const path = [];
  const visit = (node) => {
    const own = { index: seen.size, low: seen.size, open: true };
    seen.set(node, own);
    path.push(node);
    for (const target of graph.get(node) ?? []) {
      const other = seen.get(target);
      if (other === undefined) own.low = Math.min(own.low, visit(target).low);
      else if (other.open) own.low = Math.min(own.low, other.index);
    }
    if (own.low === own.index) {
      const circle = path.splice(path.indexOf(node));
      for (const member of circle) seen.get(member).open = false;
      if (circle.length > 1) circles.push(circle.sort());
    }
    return own;
  };
  for (const node of graph.keys()) if (!seen.has(node)) visit(node);
  return circles.sort();
}
