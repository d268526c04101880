import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedKinds, plant, plantContexts } from '../../testing/secret-plants';
import { seededRandom } from '../../testing/seeded-random';
import { Redactor } from './redactor';
import { heldSecrets, privateNames, type RedactionSettings } from './settings';
import { findingName, TextFinder } from './text-finder';

const held = 'Zq3WY7G1J1Ow9PsXwgv6/WFxEn+8XrZu2vvos=';
const settings: RedactionSettings = {
  level: 'strict',
  secrets: [held, '73914682'],
  names: {
    users: ['kimberly', 'Ada Lovelace'],
    hosts: ['gpu-box7', 'gpu-box7.lab.example.org'],
    homes: ['/srv/people/k1'],
  },
  allowed: [],
};
const numbered = () => {
  const numbers = new Map<string, number>();
  return (hit: { identity: string; kind: string; secret: string | null }) => {
    const number = numbers.get(hit.identity) ?? numbers.size + 1;
    numbers.set(hit.identity, number);
    return hit.secret === null ? `<<${hit.kind}:${number}>>` : `<<secret:${hit.secret}:${number}>>`;
  };
};
const redactor = (changed: Partial<RedactionSettings> = {}) =>
  new Redactor({ ...settings, ...changed }, numbered());

describe('names', () => {
  it.each([
    ['/home/kimberly/work/a.py', '/home/<<user:1>>/work/a.py'],
    ['kimberly@gpu-box7:~/w$ ls', '<<user:1>>@<<host:2>>:~/w$ ls'],
    ['\u001b[01;32mkimberly@gpu-box7\u001b[0m:', '\u001b[01;32m<<user:1>>@<<host:2>>\u001b[0m:'],
    ['{"out":"total 4\\nkimberly users"}', '{"out":"total 4\\n<<user:1>> users"}'],
    ['drwxr-xr-x 2 kimberly kimberly 4096', 'drwxr-xr-x 2 <<user:1>> <<user:1>> 4096'],
    ['https://x.example/?p=%2Fhome%2Fkimberly%2Fa', 'https://x.example/?p=%2Fhome%2F<<user:1>>%2Fa'],
    ['-home-kimberly-work', '-home-<<user:1>>-work'],
    ['ping GPU-BOX7', 'ping <<host:1>>'],
    ['ssh gpu-box7.lab.example.org', 'ssh <<host:1>>'],
    ['cd /srv/people/k1/data', 'cd <<home:1>>/data'],
    ['/home/somebody_else/x', '/home/<<user:1>>/x'],
    [
      'gcc -I/home/jane/include file:///mnt/home/jane/a',
      'gcc -I/home/<<user:1>>/include file:///mnt/home/<<user:1>>/a',
    ],
    ['/Users/jane.doe/Library', '/Users/<<user:1>>/Library'],
    ['C:\\Users\\Jane Doe\\Documents', 'C:\\Users\\<<user:1>>\\Documents'],
    ['"C:\\\\Users\\\\jane\\\\a"', '"C:\\\\Users\\\\<<user:1>>\\\\a"'],
    ['signed: Ada Lovelace', 'signed: <<user:1>>'],
    ['mira@orion-3:/data$ nvidia-smi', '<<user:1>>@<<host:2>>:/data$ nvidia-smi'],
  ])('%j', (text, expected) => {
    expect(redactor().text(text)).toBe(expected);
    expect(redactor({ level: 'names' }).text(text)).toBe(expected);
    expect(redactor({ level: 'off' }).text(text)).toBe(text);
  });

  it.each([
    'kimberlyite is a rock',
    [...['ubuntu', 'user'].map((each) => `/home/${each}/app`), ['', 'root', 'x'].join('/')].join(' and '),
    'root@3f2a9c81b7de:/app# ls',
    'git@github.com:org/repo.git',
    'someone@example.com wrote',
    'localhost:8080/home/page and https://x.example/home/page',
    'cd /home/$USER/x; ls /home/<name>/',
  ])('nobody is named in %j', (text) => {
    expect(redactor().text(text)).toBe(text);
  });

  it('names of a machine, of hosts and of settings are gathered; words of every day are no names by themselves', () => {
    const names = privateNames({
      settings: {
        annotator: { uuid: 'u', name: 'Ada Lovelace' },
        computers: [{ alias: 'kim@box-9', transport: 'ssh2', addedAt: 0 }],
      },
      created: [
        {
          computers: [
            { name: 'local', kind: 'local' },
            { name: 'far', kind: 'ssh', host: 'me@10.0.0.7:22' },
          ],
        },
      ],
      machine: { users: ['test'], hosts: ['workstation', 'w.lan'], homes: ['/home/test'] },
    });
    expect(names).toEqual({
      users: ['Ada Lovelace', 'kim', 'me', 'test'],
      hosts: ['10.0.0.7', 'box-9', 'far', 'w.lan', 'workstation'],
      homes: ['/home/test'],
    });
    const one = new Redactor({ ...settings, names }, numbered());
    expect(one.text('a test on my workstation at /home/test/x')).toBe(
      'a test on my workstation at /home/test/x',
    );
    expect(one.text('kim@box-9:~$ ssh 10.0.0.7')).toBe('<<user:1>>@<<host:2>>:~$ ssh <<host:3>>');
  });
});

describe('secrets', () => {
  it('the same secret has one placeholder, however it is written', () => {
    const one = redactor();
    const texts = [
      held,
      JSON.stringify(JSON.stringify(held)),
      encodeURIComponent(held),
      Buffer.from(`x ${held} y`).toString('base64'),
      held.replace(/(.{9})/gu, '$1\n'),
    ];
    for (const text of texts) {
      const redacted = one.text(text);
      expect(redacted).toContain('<<secret:known:1>>');
      expect(one.text(redacted)).toBe(redacted);
    }
    const key = plant('GitHub token', seededRandom(1)).secret;
    expect(
      one.text(`a ${key} b ${JSON.stringify(`\n${key}`)} c ${Buffer.from(`${key}\n`).toString('base64')}`),
    ).toMatch(
      /^a <<secret:service_token:2>> b "\\n<<secret:service_token:2>>" c <<secret:service_token:2>>/u,
    );
  });

  it('stand-ins for keys are no secrets', () => {
    expect(
      heldSecrets(['EMPTY', 'ollama', 'not-needed', 'abc', ' real-key-1 ', 'real-key-1', 'another']),
    ).toEqual(['another', 'real-key-1']);
  });

  it('a person lets one stand by its name, and nothing else', () => {
    const key = plant('GitHub token', seededRandom(1)).secret;
    const other = plant('GitHub token', seededRandom(2)).secret;
    const [hit] = new TextFinder(settings).find(key);
    const name = findingName(hit ?? { kind: 'secret', identity: '' });
    expect(name).toMatch(/^secret-[0-9a-f]{20}$/u);
    expect(name).not.toContain(key.slice(4, 12));
    const allowing = redactor({ allowed: [name] });
    const { text, hits, allowed } = allowing.redact(`${key} ${other}`, 'text');
    expect(text).toBe(`${key} <<secret:service_token:1>>`);
    expect([hits.length, allowed.length]).toEqual([1, 1]);
  });

  it('excerpts show what every key of a kind begins with, and how long it is', () => {
    const finder = new TextFinder(settings);
    for (const kind of namedKinds) {
      const each = plant(kind, seededRandom(9));
      for (const { excerpt } of finder.find(each.text)) {
        const shown = excerpt.replace(/… \(\d+ characters\)$/u, '');
        expect(shown.length).toBeLessThan(14);
        expect(each.secret.startsWith(shown)).toBe(true);
        expect(excerpt).not.toContain(each.secret.slice(shown.length, shown.length + 6));
      }
    }
    expect(finder.find(held)[0]?.excerpt).toBe('… (38 characters)');
  });
});

describe('arguments of calls', () => {
  it('stay JSON where a secret is a number, a name of a field, or lies across texts', () => {
    for (const text of [
      '{"pin":73914682,"n":5}',
      `{"${held}":1}`,
      '{"a":"password=x9Kd77aPq","b":1}',
      `["${held}",73914682]`,
    ]) {
      const { text: redacted, hits } = redactor().redact(text, 'json');
      expect(hits.length).toBeGreaterThan(0);
      expect(() => JSON.parse(redacted)).not.toThrow();
      expect(redacted).not.toContain('73914682');
      expect(redactor().redact(redacted, 'json').hits).toEqual([]);
    }
  });

  const leaf = fc.oneof(
    fc
      .constantFrom(...namedKinds)
      .chain((kind) => fc.integer({ min: 1, max: 99 }).map((seed) => plant(kind, seededRandom(seed))))
      .chain((each) => fc.constantFrom(...Object.values(plantContexts)).map(({ write }) => write(each))),
    fc.constantFrom(
      held,
      '73914682',
      'kimberly',
      '/home/kimberly/x',
      '\u001b[0m',
      '<<secret:known:1>>',
      '\\',
      '"',
    ),
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.integer(),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(fc.constantFrom(held, 'password', 'kimberly'), fc.string({ maxLength: 5 })),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;

  it('whatever they are, they are JSON afterwards, and a second look finds nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const one = redactor();
        const once = one.redact(text, 'json').text;
        expect(() => JSON.parse(once)).not.toThrow();
        expect(once).not.toContain(held);
        expect(one.redact(once, 'json')).toMatchObject({ text: once, hits: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('texts of any kind are the same after a second look, and what is no finding stays', () => {
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        const one = redactor();
        const once = one.text(text);
        expect(one.text(once)).toBe(once);
        if (once === text) expect(new TextFinder(settings).find(text)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('texts of a value are redacted, its numbers are not, and a clean value is the same object', () => {
    const one = redactor();
    const clean = { a: [1, { b: 'text' }], n: 73914682 };
    expect(one.value(clean)).toBe(clean);
    expect(one.value({ a: [held], n: 73914682, kimberly: null })).toEqual({
      a: ['<<secret:known:1>>'],
      n: 73914682,
      '<<user:2>>': null,
    });
  });
});

it('a placeholder that the first pass did not number is a bug, and says so without the secret', () => {
  const one = new Redactor(settings, new Map());
  expect(() => one.text(`x ${held}`)).toThrowError(/first pass/u);
  try {
    one.text(`x ${held}`);
  } catch (thrown) {
    expect(String(thrown)).not.toContain(held.slice(0, 6));
  }
});
