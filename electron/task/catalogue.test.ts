import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { catalogueDomains } from '@shared/contract/catalogue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueRows, createFromCatalogue, readCatalogue } from './catalogue';
import { loadTaskPackage } from './load';
import { unsupported } from './support';

const resources = resolve(import.meta.dirname, '../../resources');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-catalogue-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the catalogue', () => {
  // InnovatorBench table 4 and APOLLO §4 "Testing datasets": 4 + 3 + 5 + 3 + 2 + 3; APOLLO §4 "Training datasets": 4 + 3 + 3 + 2 + 3 + 3.
  it.each([
    ['InnovatorBench', 20, [4, 3, 5, 3, 2, 3]],
    ['APOLLO', 18, [4, 3, 3, 2, 3, 3]],
  ])('holds the tasks of %s with the counts per domain that the paper states', async (paper, total, counts) => {
    const file = (await readCatalogue(resources)).find((one) => one.paper === paper);
    expect(file?.tasks.map((task) => task.number)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
    expect(
      catalogueDomains.map((domain) => file?.tasks.filter((task) => task.domain === domain).length),
    ).toEqual(counts);
  });

  it('agrees with the tables on hours and GPUs', async () => {
    const facts = Object.fromEntries(
      (await readCatalogue(resources)).map((file) => [
        file.paper,
        file.tasks
          .map((task) => `${task.hours}/${task.gpus ? task.gpus.machines * task.gpus.count : 0}`)
          .join(' '),
      ]),
    );
    expect(facts).toEqual({
      InnovatorBench:
        '48/8 48/8 48/8 48/8 5/8 48/16 8/8 48/8 48/8 24/8 48/8 24/8 48/8 48/8 24/8 48/8 24/8 24/0 12/0 12/1',
      APOLLO: '16/8 16/8 48/8 12/0 48/8 48/8 48/8 48/8 24/8 5/8 24/8 12/8 24/8 12/1 48/8 48/8 48/8 48/8',
    });
  });

  it('allows the web where InnovatorBench does (data construction and augmentation) and leaves APOLLO open', async () => {
    for (const file of await readCatalogue(resources)) {
      for (const task of file.tasks) {
        const open = ['Data Construction', 'Data Augmentation'].includes(task.domain);
        expect(task.web, `${file.paper} ${task.number}`).toBe(file.paper === 'APOLLO' ? null : open);
      }
    }
  });

  it('turns every row into a package that loads and that a run can start from', async () => {
    const rows = await catalogueRows(resources);
    expect(new Set(rows.map((row) => row.key)).size).toBe(38);
    for (const row of rows) {
      const { spec } = await loadTaskPackage(await createFromCatalogue(resources, row.key, folder));
      expect(spec).toMatchObject({
        id: row.key,
        title: row.title,
        domain: row.domain,
        constraints: row.constraints,
      });
      expect(spec.limits.max_working_time).toBe(`${row.hours}h`);
      expect(unsupported(spec)).toEqual([]);
      expect(spec.computers.some(({ gpus }) => gpus !== null)).toBe(row.gpus !== null);
    }
  });

  it('asks for as many machines as the paper has, none of which has more than eight GPUs', async () => {
    const made = await createFromCatalogue(
      resources,
      'innovatorbench-06',
      await mkdtemp(join(folder, 'six-')),
    );
    const { spec } = await loadTaskPackage(made);
    expect(spec.computers.map(({ name, gpus }) => [name, gpus?.count ?? 0])).toEqual([
      ['local', 0],
      ['gpu-1', 8],
      ['gpu-2', 8],
    ]);
    const rows = await catalogueRows(resources);
    expect(rows.find(({ key }) => key === 'innovatorbench-06')?.gpus).toBe('2 × 8 × 80 GB');
  });

  it('says in a task that may use the web that there are no web actions yet', async () => {
    for (const { key, web } of await catalogueRows(resources)) {
      const made = await createFromCatalogue(resources, key, await mkdtemp(join(folder, 'web-')));
      const yaml = await readFile(join(made, 'task.yaml'), 'utf8');
      expect(yaml.includes('Waymark has no web actions yet'), key).toBe(web === true);
    }
  });

  it('never writes over a package, and refuses an unknown key', async () => {
    const parent = await mkdtemp(join(folder, 'twice-'));
    await createFromCatalogue(resources, 'apollo-04', parent);
    await expect(createFromCatalogue(resources, 'apollo-04', parent)).rejects.toMatchObject({
      code: 'already_exists',
    });
    await expect(createFromCatalogue(resources, 'apollo-99', parent)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
