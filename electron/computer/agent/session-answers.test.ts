import { describe, expect, it } from 'vitest';
import { parseHello } from './hello';
import { parseLook, parseProcesses } from './session-answers';

const marks = '0 10 A 0\n20 30 C 1\n';
const shell = '10\t1\t10\t10\t10\tS\t99\tterminal\t1\tbash --rcfile\n';
const vim = '11\t10\t11\t10\t11\tS\t100\tpoll\t0\tvim %09 a%0Ab 中\n';

function answer(fields: (string | number)[], body: string) {
  return { fields: fields.map(String), body: Buffer.from(body) };
}

describe('answers about sessions', () => {
  it('tell marks from processes by the number of lines', () => {
    const look = parseLook(
      answer(['id1', 'alive', '', 0, 70, '5.25', 4096, 1, 3, 1, 7, 250, 0, 1, 2, 1], marks + shell + vim),
    );
    expect(look).toEqual({
      id: 'id1',
      life: 'alive',
      exitCode: undefined,
      rebooted: false,
      size: 70,
      mtimeMs: 5.25,
      dropped: 4096,
      diskFull: true,
      inputSeq: 3,
      pendingInputs: 1,
      commandSeq: 7,
      commandAgeMs: 250,
      terminal: { lineMode: false, echo: true },
      marks,
      moreMarks: true,
      foreground: [
        {
          pid: 10,
          parent: 1,
          group: 10,
          stat: 'S',
          command: 'bash --rcfile',
          isShell: true,
          blocked: 'terminal',
        },
        {
          pid: 11,
          parent: 10,
          group: 11,
          stat: 'S',
          command: 'vim \t a\nb 中',
          isShell: false,
          blocked: 'poll',
        },
      ],
    });
  });

  it.each([
    ['', shell, 1],
    ['', shell + vim, 2],
    [marks, '', 0],
    ['', '', 0],
    [marks, vim, 1],
  ])('tell them apart whatever there is (%#)', (before, after, count) => {
    const look = parseLook(
      answer(['i', 'alive', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', count, 0], before + after),
    );
    expect(look.marks).toBe(before);
    expect(look.foreground).toHaveLength(count);
    expect(look.terminal).toBeUndefined();
  });

  it.each([
    ['ended', '137', 'ended', 137],
    ['ended', '', 'ended', null],
    ['ended', 'x', 'ended', null],
    ['lost', '', 'lost', undefined],
    ['something else', '', 'lost', undefined],
  ])('tell how a session ended (%s %s)', (life, exit, expected, code) => {
    const look = parseLook(answer(['i', life, exit, 1, 0, 0, 0, 0, 0, 0, 0, 0, '', '', 0, 0], ''));
    expect(look).toMatchObject({ life: expected, rebooted: true });
    expect(look.exitCode).toBe(code);
  });

  it('count bytes of marks, not characters', () => {
    const odd = Buffer.concat([Buffer.from('0 1 A 0 '), Buffer.from([0xc3, 0xff]), Buffer.from('\n')]);
    const fields = ['i', 'alive', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, '', '', 0, 0].map(String);
    expect(parseLook({ fields, body: odd }).marks).toHaveLength(odd.length);
  });

  it('tell processes, whatever their names hold', () => {
    expect(parseProcesses(answer([], shell + vim))).toEqual([
      { pid: 10, parent: 1, group: 10, stat: 'S', command: 'bash --rcfile' },
      { pid: 11, parent: 10, group: 11, stat: 'S', command: 'vim \t a\nb 中' },
    ]);
    expect(parseProcesses(answer([], ''))).toEqual([]);
  });
});

describe('hello', () => {
  const fields = [
    'platform=linux',
    'helper=perl',
    'base=/a=b',
    'kill_user_processes=yes',
    'linger=no',
    'punch=1',
  ];

  it('is read by name, with what is not known left open', () => {
    expect(parseHello([...fields, 'cpus=8', 'helper_lacks=python3 inotify', 'news=?'])).toMatchObject({
      platform: 'linux',
      base: '/a=b',
      killUserProcesses: true,
      linger: false,
      punch: true,
      notify: false,
      cpus: 8,
      memoryBytes: 0,
      helperLacks: ['python3', 'inotify'],
    });
    expect(parseHello(['platform=darwin', 'helper=python3']).linger).toBeUndefined();
  });

  it('refuses a host that cannot hold sessions', () => {
    expect(() => parseHello(['platform=freebsd', 'helper=perl'])).toThrow('freebsd');
    expect(() => parseHello(['platform=linux'])).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });
});
