import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computerConformance, conformance } from '../../testing/computer-conformance';
import { commandCases } from '../../testing/conformance/commands';
import { fileCases } from '../../testing/conformance/files';
import { readRange } from '../../testing/conformance/session-driver';
import { factDeadlineMs } from '../../testing/deadline';
import { ComputersStand } from '../../testing/ssh/computers-stand';
import { namespacesMissing } from '../../testing/ssh/namespaces';
import type { SshHostOptions } from '../../testing/ssh/ssh-host';

/** One host for a whole suite: starting it takes longer than most cases. */
function onHost(
  name: string,
  transport: 'ssh2' | 'openssh',
  options: SshHostOptions,
  cases: (stand: () => ComputersStand) => void,
): void {
  const why = namespacesMissing ? `: ${namespacesMissing}` : '';
  describe.skipIf(namespacesMissing)(`${name}${why}`, () => {
    let stand: ComputersStand | undefined;
    beforeAll(async () => {
      stand = await ComputersStand.open(transport, options);
    }, 60_000);
    afterAll(() => stand?.close(), 60_000);
    cases(() => {
      if (!stand) throw new Error('The host is not up yet.');
      return stand;
    });
  });
}

onHost('a real host through ssh2', 'ssh2', {}, (stand) => {
  computerConformance('conformance', (limits) => stand().setup(limits));
});

onHost('a real host without perl through ssh2', 'ssh2', { without: ['/usr/bin/perl'] }, (stand) => {
  conformance('conformance in part', () => stand().setup(), [commandCases]);
});

onHost("a real host through the system's client", 'openssh', { lines: ['MaxSessions 1'] }, (stand) => {
  conformance('conformance in part', () => stand().setup(), [commandCases, fileCases]);
});

onHost('a host that allows one session', 'ssh2', { lines: ['MaxSessions 1'] }, (stand) => {
  it('holds sixteen of ours, each with every byte', async () => {
    const { computer, workdir, dispose } = await stand().setup();
    const names = Array.from({ length: 16 }, (_, index) => `s${index}`);
    await Promise.all(
      names.map((name) =>
        computer.sessions.create({ name, cwd: workdir, env: {}, rows: 40, cols: 120, profile: false }),
      ),
    );
    const digests = await Promise.all(
      names.map(async (name, index) => {
        const script = `head -c 300000 /dev/urandom | tee ${name}.raw | base64 -w 76; echo ${index}`;
        const { commandSeq } = await computer.sessions.run(name, script);
        const { startOffset, endOffset, exitCode } = await computer.sessions.waitCommand(name, commandSeq, {
          timeoutMs: 3 * factDeadlineMs,
        });
        expect(exitCode).toBe(0);
        const bytes = await readRange(computer, name, startOffset, endOffset);
        return createHash('sha256').update(bytes).digest('hex');
      }),
    );
    const told = await stand().host.shell(
      `cd ${workdir} && for i in $(seq 0 15); do (base64 -w 76 s$i.raw; echo $i) | sed 's/$/\\r/' | sha256sum; done`,
    );
    expect(digests).toEqual(
      told
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    );
    await Promise.all(names.map((name) => computer.sessions.close(name)));
    await computer.dispose();
    await dispose();
  }, 180_000);
});
