import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionError } from '../failures';
import { givenEnvironment, sessionEnvironment } from './environment';
import { commandEcho, decodeSessionName, encodeSessionName, parseExit, parseMeta, readInbox } from './layout';

describe('session names as directory names', () => {
  it('come back as they were, never meet, and are harmless as paths', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme' }), (name) => {
        let directory: string;
        try {
          directory = encodeSessionName(name);
        } catch (error) {
          expect(error).toBeInstanceOf(SessionError);
          return;
        }
        expect(directory).toMatch(/^[a-z0-9_=-]{1,200}$/);
        expect(directory).toBe(directory.toLowerCase());
        expect(decodeSessionName(directory)).toBe(name);
      }),
    );
    expect(encodeSessionName('A')).not.toBe(encodeSessionName('a'));
  });

  it.each(['', 'a\nb', 'x'.repeat(65), '\0'])('refuse %j', (name) => {
    expect(() => encodeSessionName(name)).toThrow(SessionError);
  });

  it.each(['.closed-1', '.start-a.bash', 's.failed.12', 'A'])('are not %s', (directory) => {
    expect(decodeSessionName(directory)).toBeUndefined();
  });
});

describe('files of a session', () => {
  it('are read strictly', () => {
    expect(
      parseMeta('version=1\nid=ab\nsupervisor=10\nshell=11\ntty=/dev/pts/1\ncreated=5\ncwd=/a=b\n'),
    ).toMatchObject({
      id: 'ab',
      supervisor: 10,
      shell: 11,
      createdAt: 5000,
      cwd: '/a=b',
    });
    expect(parseMeta('id=ab\n')).toBeUndefined();
    expect(parseExit('code=137\nended=1\n')).toBe(137);
    expect(parseExit('   \n')).toBeNull();
    const names = ['.x', '0000000000000003.done', '0000000000000004', 'junk'];
    expect(readInbox(names)).toEqual({ accepted: 4, pending: ['0000000000000004'] });
  });
});

describe('the echo of a command', () => {
  it('shows control characters and leaves out the middle of a long one', () => {
    expect(commandEcho('a\x1b[2J\x07\tb\nc\n')).toBe('a^[[2J^G\tb\nc');
    expect(commandEcho('\u009b1mx\x7f')).toBe('^?1mx^?');
    expect(commandEcho('x'.repeat(10_000))).toContain('[5904 characters of the command not shown]');
  });
});

describe('the environment of a session', () => {
  it('holds the listed names and what is given, nothing else', () => {
    const application = {
      HOME: '/h',
      PATH: '/p/node_modules/.bin:/bin',
      LC_ALL: 'zh_CN.UTF-8',
      OPENAI_API_KEY: 'k',
      SSH_AUTH_SOCK: '/s',
      npm_config_cache: 'c',
      HTTP_PROXY: 'http://user:word@proxy',
      https_proxy: 'http://proxy:1',
    };
    expect(sessionEnvironment('s', application, { HOME: '/other', X: '1' })).toEqual({
      HOME: '/other',
      PATH: '/bin',
      LC_ALL: 'zh_CN.UTF-8',
      https_proxy: 'http://proxy:1',
      X: '1',
      TERM: 'xterm-256color',
    });
    expect(sessionEnvironment('s', {}, {})).toMatchObject({
      LANG: 'C.UTF-8',
      PATH: expect.stringContaining('/bin'),
    });
  });

  it.each([{ 'A B': '1' }, { '1A': '1' }, { A: '\0' }, { WAYMARK_SESSION: 'x' }])('refuses %j', (given) => {
    expect(() => sessionEnvironment('s', {}, given)).toThrow(SessionError);
    expect(() => givenEnvironment('s', given)).toThrow(SessionError);
  });

  it('sends another computer only what is given', () => {
    expect(givenEnvironment('s', { X: '1', TERM: 'vt100' })).toEqual({ X: '1', TERM: 'xterm-256color' });
  });
});
