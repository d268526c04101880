/**
 * The promises P1 to P19, and what proves each of them. `asked` is the number to hold; `missing` says what of the promise nothing
 * tests yet, so that it is never taken for held.
 *
 * @typedef {{ file: string, title?: RegExp }} UnitProof tests of a file; with `title` those whose name it matches. A number that
 *   it captures is how many cases the test says it went through
 * @typedef {{ id: string, says: string, asked: string, count?: number, unit?: UnitProof[], benches?: string[],
 *   check?: 'packages', missing?: string }} Promised
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
    unit: [{ file: 'electron/store/verify-damage.test.ts', title: /^every one of (\d+) damaged copies/ }],
  },
  { id: 'P4', says: 'SSH cuts leave no gap and no double', asked: '50 cuts, 0 bytes', benches: ['ssh-cuts'] },
  {
    id: 'P5',
    says: 'sleep and resume',
    asked: 'connected within 10 s, nothing lost or doubled',
    missing: 'the whole application stopped and continued, with its link down and its clock set',
  },
  {
    id: 'P6',
    says: 'a wrong host key never connects',
    asked: '0 bytes of authentication sent',
    unit: [
      { file: 'electron/computer/ssh/ssh2-transport.test.ts', title: /key/i },
      { file: 'electron/computer/ssh/openssh-transport.test.ts', title: /key/i },
    ],
  },
  {
    id: 'P7',
    says: 'a full disk',
    asked: '20 fills, 0 lost',
    unit: [{ file: 'electron/store/disk-full.test.ts', title: /full disk/ }],
    missing: '20 fills, one at each kind of statement',
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
    benches: ['ssh-flood'],
    missing: 'the whole of 1 GB; the bench sends 256 MB',
  },
  {
    id: 'P10',
    says: 'hostile markdown and HTML',
    asked: '0 scripts, requests, navigations',
    missing: 'the list in the packaged window; static markup only',
  },
  {
    id: 'P11',
    says: 'a taken-over page',
    asked: '10,000 calls of each command, all refused by name',
    unit: [
      { file: 'electron/ipc/hostile-window.test.ts' },
      { file: 'electron/app/page-attack.test.ts' },
      { file: 'electron/serve/serve-attack.test.ts' },
    ],
    missing: 'as many as 10,000 calls of each command (WAYMARK_ATTACK_CALLS=10000)',
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
    asked: '0 of 150 harmful commands unasked; 0 escapes from the sandbox',
    unit: [
      { file: 'electron/actions/approval.test.ts' },
      { file: 'electron/actions/approval-fuzz.test.ts' },
      { file: 'electron/task/evaluate.test.ts', title: /somebody helped/ },
    ],
    missing: 'the escape list of a sandbox',
  },
  {
    id: 'P14',
    says: 'no secret in an export',
    asked: '100 % of known keys, 95 % of known formats',
    unit: [{ file: 'electron/secrets/scanner.test.ts' }],
    missing: 'the finished files of an export',
  },
  {
    id: 'P15',
    says: 'supply chain',
    asked: '0 packages without a hash, a known licence or with a script that runs',
    check: 'packages',
    missing: 'contents of the archive, signatures of the registry, a bill of materials',
  },
  {
    id: 'P16',
    says: 'clock jumps',
    asked: '0 negative durations, order by number',
    unit: [{ file: 'electron/runs/heartbeat.test.ts' }],
    missing: 'a run whose clock is set days back and forth',
  },
  {
    id: 'P17',
    says: 'started twice, or an older version',
    asked: 'one instance; a newer workspace is left untouched',
    unit: [
      { file: 'electron/store/run-lock.test.ts' },
      { file: 'electron/store/migrate.test.ts', title: /newer/ },
    ],
    missing: 'the window started twice',
  },
  {
    id: 'P18',
    says: '30 hours',
    asked: '1 MB an hour, descriptors and handles flat',
    benches: ['thirty-hours'],
    missing: 'the real window, its descriptors and handles',
  },
  {
    id: 'P19',
    says: 'keys at rest and in memory',
    asked: '0 places in which a planted key stands',
    unit: [
      { file: 'electron/app/keys-stay-inside.test.ts' },
      { file: 'electron/environment/taken-environment.test.ts' },
    ],
    missing: 'crash dumps, the heap of the page',
  },
];
