import { describe, expect, it } from 'vitest';
import { circlesIn, importsWithin, roomGraph } from './import-circles.mjs';
import { projectRoot } from './setup/project.mjs';

const feature = (file) => /^renderer\/features\/([^/]+)\//.exec(file)?.[1] ?? null;

describe('circlesIn', () => {
  it('finds the members of a circle and leaves out what only leads to it', () => {
    const graph = new Map([
      ['start', ['a']],
      ['a', ['b']],
      ['b', ['c', 'end']],
      ['c', ['a']],
      ['end', []],
    ]);
    expect(circlesIn(graph)).toEqual([['a', 'b', 'c']]);
  });
});

describe('the window', () => {
  const graph = importsWithin(projectRoot, 'renderer');

  it('is read with its type imports and dynamic imports', () => {
    expect(graph.get('renderer/components/LabelGlyph.tsx')).toBeDefined();
    expect(graph.get('renderer/text/en/shortcuts.ts')).toContain('renderer/state/keys/keymap.ts');
    expect(graph.get('renderer/main.tsx')).toContain('renderer/own-terminal/start.tsx');
  });

  it('has no circle of features', () => {
    expect(circlesIn(roomGraph(graph, feature))).toEqual([]);
  });
});

describe.each(['electron', 'shared', 'renderer'])('%s/', (folder) => {
  const graph = importsWithin(projectRoot, folder);

  it('has no circle of files, type imports counted', () => {
    expect(graph.size).toBeGreaterThan(0);
    expect(circlesIn(graph)).toEqual([]);
  });

  it('has at most 40 files in a folder, tests not counted', () => {
    const counts = new Map();
    for (const file of graph.keys()) {
      const room = file.slice(0, file.lastIndexOf('/'));
      // Stands and fixtures are found by what a test imports.
      if (room !== 'electron/testing') counts.set(room, (counts.get(room) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
  });
});

describe('electron/', () => {
  const graph = importsWithin(projectRoot, 'electron');
  const rooms = ['app', 'ipc', 'commands', 'remote', 'own-terminals', 'serve'];
  const room = (file) => rooms.find((name) => file.startsWith(`electron/${name}/`)) ?? null;

  it('has no circle between the rooms of the window, commands and servers', () => {
    expect(circlesIn(roomGraph(graph, room))).toEqual([]);
  });
});
