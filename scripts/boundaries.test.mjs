import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from './setup/project.mjs';

const biome = join(projectRoot, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const watched = [
  'noRestrictedImports',
  'noJsxLiterals',
  'noConsole',
  'noExplicitAny',
  'noDefaultExport',
  'message catalogue',
  'touches the bridge',
];

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-lint-'));
  const {
    vcs: _vcs,
    $schema: _schema,
    ...config
  } = JSON.parse(readFileSync(join(projectRoot, 'biome.json'), 'utf8'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  cpSync(join(projectRoot, 'scripts', 'lint'), join(folder, 'scripts', 'lint'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Which of the watched rules the project's linter reports for a file of this name and content. */
function rulesBrokenBy(path, source) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
  const result = spawnSync(process.execPath, [biome, 'lint', '--colors=off', path], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(result.stderr).not.toContain('No files were processed');
  return watched.filter((rule) => `${result.stdout}${result.stderr}`.includes(rule));
}

test.each([
  [
    'electron/store/probe.ts',
    "import { app } from 'electron';\nexport const name = app;\n",
    ['noRestrictedImports'],
  ],
  [
    'electron/base/probe.ts',
    "import { store } from '../store/api';\nexport const name = store;\n",
    ['noRestrictedImports'],
  ],
  ['electron/app/probe.ts', "import { app } from 'electron';\nexport const name = app;\n", []],
  [
    'electron/agent/probe.ts',
    "import { store } from '../store/api';\nexport const name = store;\n",
    ['noRestrictedImports'],
  ],
  [
    'electron/actions/probe.ts',
    "import { run } from '../runs/run';\nexport const name = run;\n",
    ['noRestrictedImports'],
  ],
  ['electron/runs/probe.ts', "import { store } from '../store/api';\nexport const name = store;\n", []],
  [
    'electron/runs/probe.ts',
    "import { model } from '../testing/model';\nexport const name = model;\n",
    ['noRestrictedImports'],
  ],
  [
    'electron/runs/probe.test.ts',
    "import { model } from '../testing/model';\nexport const name = model;\n",
    [],
  ],
  [
    'shared/probe.ts',
    "import { join } from 'node:path';\nexport const name = join;\n",
    ['noRestrictedImports'],
  ],
  [
    'shared/probe.ts',
    "import { run } from '../electron/runs/drive/run';\nexport const name = run;\n",
    ['noRestrictedImports'],
  ],
  [
    'renderer/probe.tsx',
    "import { run } from '../electron/runs/drive/run';\nexport const name = run;\n",
    ['noRestrictedImports'],
  ],
  [
    'renderer/state/run/probe.ts',
    "import { label } from '../../features/labels/labels';\nexport const name = label;\n",
    ['noRestrictedImports'],
  ],
  [
    'renderer/components/Probe.tsx',
    "import { toast } from '../state/toasts';\nexport const name = toast;\n",
    ['noRestrictedImports'],
  ],
  [
    'renderer/text/en/probe.ts',
    "import { label } from '../../features/labels/labels';\nexport const name = label;\n",
    ['noRestrictedImports'],
  ],
  [
    'renderer/features/timeline/probe.ts',
    "import { label } from '../labels/labels';\nexport const name = label;\n",
    [],
  ],
  ['renderer/probe.tsx', 'export const Name = () => <p>Runs</p>;\n', ['noJsxLiterals']],
  [
    'renderer/probe.tsx',
    'export const Name = () => <input placeholder="Search" />;\n',
    ['message catalogue'],
  ],
  ['renderer/probe.ts', 'export const bridge = window.waymark;\n', ['touches the bridge']],
  ['renderer/api.ts', 'export const bridge = window.waymark;\n', []],
  [
    'electron/store/probe.ts',
    "console.log('x');\nexport const n: any = 1;\nexport default n;\n",
    ['noConsole', 'noExplicitAny', 'noDefaultExport'],
  ],
])('%s: %j breaks %j', (path, source, rules) => {
  expect(rulesBrokenBy(path, source)).toEqual(rules);
});
