import { expect, test } from 'vitest';
import { peopleOfRun, type RunWork } from './people';
import { peopleCsv } from './people-csv';

const ada = { uuid: 'a', name: 'Ada' };
const bob = { uuid: 'b', name: 'Bob' };
const said = (author: typeof ada, value: 'train' | 'mask', adjudication = false) => ({
  author,
  value,
  adjudication,
});

const work: RunWork = {
  run: 'R',
  title: 'A run',
  decided: [
    { from: 1, to: 4, humans: [said(ada, 'train'), said(bob, 'train')] },
    { from: 5, to: 6, humans: [said(ada, 'train'), said(bob, 'mask')] },
    { from: 7, to: 7, humans: [said(ada, 'mask', true), said(bob, 'train')] },
    { from: 8, to: 9, humans: [said(ada, 'mask')] },
  ],
  own: [
    { from: 1, to: 4, humans: [said(ada, 'train'), said(bob, 'train')] },
    { from: 5, to: 6, humans: [said(ada, 'train'), said(bob, 'mask')] },
    { from: 7, to: 7, humans: [said(ada, 'mask'), said(bob, 'mask')] },
    { from: 8, to: 9, humans: [said(ada, 'mask')] },
  ],
  assigned: [
    { from: 1, to: 10, assigned: [{ entry: 'x', batch: 'y', to: ada, blind: false }] },
    {
      from: 11,
      to: 12,
      assigned: [{ entry: 'x', batch: 'y', to: { uuid: 'name:Bob', name: 'Bob' }, blind: true }],
    },
  ],
  machine: [
    { from: 4, to: 5, value: 'mask' },
    { from: 8, to: 8, value: 'mask' },
  ],
  deeds: [{ person: bob, workMs: 60_000, flags: 2, times: null }],
  withheld: [],
};

test('who decided what, what is left, how far people and machines agree', () => {
  const { rows, pairs, fleiss, meanKappa } = peopleOfRun(work);
  expect(
    rows.map(({ person, assigned, decided, left, disagreements, flags }) => [
      ...[person.name, assigned, decided, left, disagreements, flags],
    ]),
  ).toEqual([
    ['Ada', 10, 9, 1, 2, 0],
    ['Bob', 2, 7, 2, 2, 2],
  ]);
  // 4 both train, 2 train/mask, 1 both mask: agreed 5 of 7, expected (6·4 + 1·3)/49.
  expect(pairs).toHaveLength(1);
  expect(pairs[0]?.agreement).toMatchObject({ n: 7, same: 5 });
  expect(pairs[0]?.agreement.kappa).toBeCloseTo((5 / 7 - 27 / 49) / (1 - 27 / 49));
  expect(rows[0]?.agreement).toEqual(pairs[0]?.agreement);
  expect(rows[0]?.machines).toMatchObject({ n: 3, same: 1 });
  expect(rows[1]?.machines).toMatchObject({ n: 2, same: 1 });
  expect(meanKappa).toBe(pairs[0]?.agreement.kappa);
  expect(fleiss).not.toBeNull();
});

test('withheld steps count as decided and nowhere else', () => {
  const { rows, pairs } = peopleOfRun({ ...work, withheld: [{ from: 4, to: 8 }] });
  expect(rows[0]).toMatchObject({ decided: 9, disagreements: 0, machines: { n: 0 } });
  expect(pairs[0]?.agreement.n).toBe(3);
});

test('as CSV nothing of a name is run by a spreadsheet', () => {
  const { rows } = peopleOfRun(work);
  const [row] = rows;
  if (row === undefined) throw new Error('a row');
  const csv = peopleCsv([{ ...row, person: { uuid: 'u', name: '=cmd()' }, title: 'a, "b"' }]);
  expect(csv.split('\n')[1]).toContain('R,"a, ""b""",\'=cmd(),u,10,9,1,7,');
  expect(csv.endsWith('\n')).toBe(true);
});
