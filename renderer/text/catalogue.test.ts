import { errorCodes, readOnlyReasons, refusedActs } from '@shared/contract/errors';
import { describe, expect, it } from 'vitest';
import { en } from './en';
import { languageFor } from './language';
import { zh } from './zh';

/** Every entry of a catalogue by its path; texts with parameters are functions. */
function entries(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) =>
    entries(inner, path === '' ? key : `${path}.${key}`),
  );
}

const english = new Map(entries(en));
const chinese = new Map(entries(zh));

/** Names, keys and marks that are the same in every language. */
const shared =
  /^(common\.(mod|shift|alt|enter|escape|unknown)|frame\.product|detail\.unknown|about\.(version|electron|chrome|node|sqlite)|settings\.english|exporting\.(targetName|trainerName)\.(slime|axolotl|ms-swift|llamafactory|verl|rlanything)|exporting\.compressionName\.(gzip|zstd))$/;

describe('catalogues', () => {
  it('have the same entries', () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('have no empty text', () => {
    for (const [path, text] of [...english, ...chinese]) {
      if (typeof text === 'string') expect(text.trim(), path).not.toBe('');
    }
  });

  it('are translated', () => {
    const same = [...english].filter(
      ([path, text]) =>
        typeof text === 'string' && /[a-z]{3}/.test(text) && !shared.test(path) && chinese.get(path) === text,
    );
    expect(same.map(([path]) => path)).toEqual([]);
  });

  it('count one as one', () => {
    expect(en.branches.stepsAfter(1)).toMatch(/^1 step lies .+ Its file changes/);
    expect(en.branches.stepsAfter(2)).toMatch(/^2 steps lie .+ Their file changes/);
  });

  it('say in their own language that a workspace is only read', () => {
    const onlyRead = { code: 'read_only', message: 'It is only read.' } as const;
    expect(en.frame.failure(onlyRead)).toBe('It is only read.');
    expect(zh.frame.failure(onlyRead)).toMatch(/^[^a-z]+$/);
    expect(zh.frame.failure({ code: 'conflict', message: 'Somebody was first.' })).toBe(
      'Somebody was first.',
    );
    const said = refusedActs.flatMap((act) =>
      readOnlyReasons.map((is) => zh.frame.failure({ ...onlyRead, words: { is, folder: '/数据', act } })),
    );
    expect(new Set(said).size).toBe(refusedActs.length * readOnlyReasons.length);
    for (const each of said) expect(each).toMatch(/^\/数据 [^a-zA-Z]+$/);
  });

  it('say in words why a run rests, whatever the log gives as the reason', () => {
    const reasons = [
      ...[
        'asked',
        'imported',
        'approval',
        'setup',
        'finish',
        'evals_spent',
        'limit_unknown',
        'summary_failed',
      ],
      ...['max_steps', 'max_time', 'max_tokens', 'max_cost'],
      ...errorCodes.filter((code) =>
        /^(model|context|computer|disk|read|task)_|^(bug|timed_out|refused)$/u.test(code),
      ),
    ];
    for (const { runs } of [en, zh])
      for (const reason of reasons) expect(runs.reason(reason), reason).not.toBe(reason.replaceAll('_', ' '));
  });

  it('choose the language of the person, else of the system', () => {
    expect(languageFor('zh', 'en-US')).toBe('zh');
    expect(languageFor('system', 'zh-Hans-CN')).toBe('zh');
    expect(languageFor('system', 'de-DE')).toBe('en');
  });

  it('write times as a person reads them', () => {
    const { format } = en.common;
    expect(format.duration(8_200)).toBe('8.2 s');
    expect(format.duration(41 * 60_000)).toBe('41 min');
    expect(format.duration(9 * 3_600_000 + 12 * 60_000)).toBe('9 h 12');
    expect(format.duration(24 * 3_600_000)).toBe('24 h');
    expect(format.compact(71_234)).toBe('71k');
    expect(format.score(null)).toBe('?');
    expect(format.money(Number.NaN)).toBe('?');
  });
});

it.each([en, zh])('the first minutes of a day begin with 00', ({ common: { format } }) => {
  const at = new Date(2026, 0, 1, 0, 4, 5).getTime();
  expect(format.clock(at)).toBe('00:04');
  expect(format.clockSeconds(at)).toBe('00:04:05');
});
