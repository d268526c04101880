/**
 * The promises P1 to P19, and what proves each of them. `asked` is the number to hold; `missing` says what of the promise nothing
 * tests yet, so that it is never taken for held.
 *
 * @typedef {{ file: string, title?: RegExp }} TestProof tests of a file; with `title` those whose name it matches. A number that
 *   it captures is how many cases the test says it went through
 * @typedef {{ id: string, says: string, asked: string, count?: number, unit?: TestProof[], e2e?: TestProof[],
 *   benches?: string[], checks?: ('packages' | 'archive' | 'signatures')[], missing?: string }} Promised `unit`: tests of vitest's; `e2e`: of the real
 *   application; `benches`: names, with `--long` behind one for its large numbers
 */

/** @type {readonly Promised[]} */
export const promises = [
  {
    id: 'P1',
    says: 'kill -9 loses nothing acknowledged',
    asked: '500 kills, 0 lost',
    count: 500,
    unit: [{ file: 'electron/store/kill.test.ts', title: /^(\d+) times kill -9/ }],
    benches: ['durability'],
  },
  {
    id: 'P2',
    says: 'power loss loses nothing acknowledged',
    asked: '1,000 cuts, 0 lost; a sync before each acknowledgement',
    benches: ['durability'],
  },
  {
    id: 'P3',
    says: 'corruption is found, named and survived',
    asked: '1,000 damaged copies, all found',
    count: 1000,
    unit: [
      { file: 'electron/store/verify/verify-damage.test.ts', title: /^every one of (\d+) damaged copies/ },
    ],
  },
  { id: 'P4', says: 'SSH cuts leave no gap and no double', asked: '50 cuts, 0 bytes', benches: ['ssh-cuts'] },
  {
    id: 'P5',
    says: 'sleep and resume',
    asked: '3 sleeps: connected within 10 s, nothing lost or doubled',
    count: 3,
    e2e: [{ file: 'e2e/asleep.spec.ts', title: /^asleep in mid-run \((\d+)×\)/ }],
  },
  {
    id: 'P6',
    says: 'a wrong host key never connects',
    asked: '0 bytes of authentication sent',
    unit: [
      { file: 'electron/computer/ssh/ssh2/ssh2-transport.test.ts', title: /key/i },
      { file: 'electron/computer/ssh/openssh/openssh-transport.test.ts', title: /key/i },
    ],
  },
  {
    id: 'P7',
    says: 'a full disk',
    asked: '20 fills, 0 lost',
    count: 20,
    unit: [
      { file: 'electron/store/file/disk-full.test.ts', title: /full disk/ },
      { file: 'electron/store/file/disk-fills.test.ts', title: /^(\d+) fills/ },
    ],
  },
  {
    id: 'P8',
    says: 'hostile escapes',
    asked: '54 sequences and 10,000 random ones, 80 ms each',
    unit: [{ file: 'shared/terminal/terminal-filter.test.ts' }],
    benches: ['hostile-output'],
  },
  {
    id: 'P9',
    says: '1 GB of terminal output',
    asked: '1 GB, all of it stored',
    benches: ['ssh-flood --long'],
  },
  {
    id: 'P10',
    says: 'hostile markdown and HTML',
    asked: '0 scripts, requests, navigations, with a list of 34 in the packaged window',
    count: 34,
    unit: [{ file: 'renderer/features/rendering/rendering.test.tsx' }],
    e2e: [{ file: 'e2e/hostile-texts.spec.ts', title: /^(\d+) hostile texts/ }],
  },
  {
    id: 'P11',
    says: 'a taken-over page',
    asked:
      '10,000 calls of each of 144 commands, by the page and at the other end of `serve`; none carried out that may not be',
    count: 2 * 144 * 10_000,
    unit: [
      { file: 'electron/app/page-attack.test.ts', title: /^(\d+) calls of/ },
      { file: 'electron/serve/serve-attack.test.ts', title: /^(\d+) calls of/ },
      { file: 'electron/app/page-attack.test.ts' },
      { file: 'electron/serve/serve-attack.test.ts' },
      { file: 'electron/ipc/hostile-window.test.ts' },
      { file: 'electron/commands/restore.test.ts' },
    ],
  },
  {
    id: 'P12',
    says: 'malformed imports',
    asked: '1,000 mutations and the list by hand',
    count: 1000,
    unit: [
      { file: 'electron/dataset/importers/researchgym/hostile-imports.test.ts', title: /\((\d+) times\)/ },
    ],
  },
  {
    id: 'P13',
    says: 'the agent cannot pass the person',
    asked: '0 of 150 harmful commands unasked, 10 % of a normal session asked; 0 escapes from the sandbox',
    count: 150,
    unit: [
      { file: 'electron/actions/approval.test.ts', title: /none of the (\d+) harmful ones run unasked/ },
      { file: 'electron/actions/approval.test.ts' },
      { file: 'electron/actions/approval-fuzz.test.ts' },
      { file: 'electron/actions/approval-session.test.ts' },
      { file: 'electron/task/evaluate.test.ts', title: /somebody helped/ },
      { file: 'electron/task/evaluator-sandbox.test.ts' },
      { file: 'electron/task/evaluation-run.test.ts' },
      { file: 'electron/task/run-process.test.ts' },
      { file: 'electron/computer/local/sandbox/probes.test.ts' },
      { file: 'electron/computer/local/sandboxed-computer.test.ts' },
    ],
  },
  {
    id: 'P14',
    says: 'no secret in an export',
    asked: '100 % of known keys, 95 % of known formats, in 40 contexts',
    count: 25 * 40,
    unit: [
      { file: 'electron/secrets/scanner.test.ts' },
      { file: 'electron/secrets/decoded-scanner.test.ts', title: /^(\d+) that the application holds/ },
      { file: 'electron/secrets/decoded-scanner.test.ts' },
      { file: 'electron/dataset/redaction/redactor.test.ts' },
      { file: 'electron/dataset/redaction/findings.test.ts' },
      { file: 'electron/secrets/exported-secrets.test.ts' },
    ],
    benches: ['redaction'],
  },
  {
    id: 'P15',
    says: 'supply chain',
    asked:
      '0 packages without a hash, a known licence or with a script that runs; nothing in the archive that does not belong there',
    unit: [{ file: 'scripts/trust/archive.test.mjs' }],
    checks: ['packages', 'archive', 'signatures'],
  },
  {
    id: 'P16',
    says: 'clock jumps',
    asked: '0 negative durations, order by number',
    unit: [
      { file: 'electron/runs/drive/heartbeat.test.ts' },
      { file: 'electron/runs/drive/clock-jumps.test.ts', title: /(\d+) settings of the clock/ },
    ],
  },
  {
    id: 'P17',
    says: 'started twice, or an older version',
    asked: 'one instance; a newer workspace is left untouched',
    unit: [
      { file: 'electron/store/log/run-lock.test.ts' },
      { file: 'electron/store/file/migrate.test.ts', title: /newer/ },
    ],
    e2e: [{ file: 'e2e/started-twice.spec.ts' }],
  },
  {
    id: 'P18',
    says: '30 hours',
    asked: '1 MB an hour, descriptors and handles flat',
    e2e: [{ file: 'e2e/thirty-hours.spec.ts' }],
    benches: ['thirty-hours'],
  },
  {
    id: 'P19',
    says: 'keys at rest and in memory',
    asked: '0 places that contain a planted key',
    unit: [
      { file: 'electron/app/keys-stay-inside.test.ts' },
      { file: 'electron/environment/taken-environment.test.ts' },
      { file: 'electron/environment/core-dumps.test.ts' },
    ],
    e2e: [{ file: 'e2e/keys-stay-inside.spec.ts' }],
  },
];
