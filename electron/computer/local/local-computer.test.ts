import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type ConformanceSetup, computerConformance } from '../../testing/computer-conformance';
import { LocalComputer } from './local-computer';
import type { SupervisorKind } from './supervisor';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');

async function localSetup(supervisor: SupervisorKind): Promise<ConformanceSetup> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-local-')));
  const workdir = join(root, 'work');
  const options = {
    sessionsDir: join(root, 'sessions'),
    resourcesDir,
    supervisors: [supervisor],
    environment: { ...process.env, PLANTED_SECRET: 'PLANTED', OPENAI_API_KEY: 'PLANTED' },
  };
  const computer = new LocalComputer(options);
  await computer.files.makeDirectory(workdir);
  return {
    computer,
    workdir,
    again: async () => new LocalComputer(options),
    shell: async (script) => (await promisify(execFile)('bash', ['-c', script])).stdout,
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}

computerConformance('local computer', () => localSetup('perl'));
computerConformance('local computer with the python supervisor', () => localSetup('python3'));
