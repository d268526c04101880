import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { ComputersStand } from '../testing/ssh/computers-stand';
import { namespacesMissing } from '../testing/ssh/namespaces';
import type { SshHostOptions } from '../testing/ssh/ssh-host';
import { readCopySources } from './copy-program';
import { WorkspaceCopies } from './workspace-copies';

const never = new AbortController().signal;
const kinds: [string, SshHostOptions][] = [
  ['with perl', {}],
  ['without perl', { without: ['/usr/bin/perl'] }],
];
const why = namespacesMissing ? `: ${namespacesMissing}` : '';

describe.skipIf(namespacesMissing).each(kinds)(`checkpoints on a real host %s${why}`, (_name, options) => {
  let stand: ComputersStand | undefined;
  beforeAll(async () => {
    stand = await ComputersStand.open('ssh2', options);
  }, 60_000);
  afterAll(() => stand?.close(), 60_000);

  it('are made, shared and restored there', async () => {
    if (!stand) throw new Error('The host is not up yet.');
    const { host } = stand;
    const { computer, workdir, dispose } = await stand.setup();
    const root = `${workdir}/root`;
    await host.shell(
      `mkdir -p ${root}/a/b ${root}/empty && cd ${root} && head -c 3000000 /dev/urandom > a/large && echo hi > a/b/small && chmod 750 a/b/small && ln -s ${root}/a abs && touch -d '2020-01-01 12:00:00' a/large && sleep 2.2`,
    );
    const copies = new WorkspaceCopies({
      computer,
      run: 'run',
      localBase: '/nowhere',
      sources: await readCopySources(resourcesDir),
    });
    const first = '01CHECKP01NT00000000000001';
    const second = '01CHECKP01NT00000000000002';
    const order = { root, exclude: '' };
    const one = await copies.copy({ ...order, id: first, previous: '', keep: [] }, never);
    expect(one).toMatchObject({ status: 'made', files: 2, newFiles: 2 });
    expect(one.folder).toMatch(/\/waymark\/checkpoints\/run\/01CHECKP01NT00000000000001$/);
    await host.shell(`echo more >> ${root}/a/b/small`);
    const two = await copies.copy({ ...order, id: second, previous: first, keep: [first] }, never);
    expect(two).toMatchObject({ status: 'made', files: 2, newFiles: 1 });
    const target = `${workdir}/target`;
    await copies.restore({ folder: two.folder, root: target, origin: root }, never);
    // perl keeps times to a quarter of a microsecond.
    const list = (folder: string) =>
      `(cd ${folder} && find . -type f -exec stat -c '%n %a %.2Y' {} + | sort)`;
    const said = await host.shell(
      `cd ${workdir} && rm root/abs && readlink target/abs && rm target/abs && diff -r root target && ${list('root')} > one && ${list('target')} > two && cmp one two && stat -c %h ${two.folder}/files/a/large`,
    );
    expect(said.trim().split('\n')).toEqual([`${target}/a`, '2']);
    await copies.remove(never);
    expect((await host.shell(`ls ${one.folder} 2>&1 || true`)).trim()).toContain('No such file');
    await computer.dispose();
    await dispose();
  }, 120_000);
});
