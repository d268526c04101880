import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ActionRig, actionRig } from '../action-rig';
import { sha256 } from '../workspace-files';

let rig: ActionRig;
const at = (name: string) => join(rig.root, name);
const put = (name: string, content: string | Uint8Array) => writeFile(at(name), content);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

beforeAll(async () => {
  rig = await actionRig({ task: { protected: ['data/test.jsonl', 'fixed'] } });
  await mkdir(at('data'));
  await mkdir(at('fixed'));
  await put('data/test.jsonl', '{}\n');
});
afterAll(() => rig.dispose());

describe('looking', () => {
  test('a window of 100 numbered lines between what is above and below, moved without gaps', async () => {
    await put('f.py', numbers(250));
    const first = await rig.call('open_file', { path: at('f.py') });
    const rows = first.text.split('\n');
    expect(rows.slice(0, 3)).toEqual([`${at('f.py')}: lines 1-100 of 250`, '(start of file)', '1|line 1']);
    expect(rows.at(-1)).toBe('(150 lines below; file_scroll_down shows more)');
    expect(first.data).toMatchObject({ path: at('f.py'), startLine: 1, endLine: 100, totalLines: 250 });
    expect((await rig.call('file_scroll_down')).data).toMatchObject({ startLine: 101, endLine: 200 });
    expect((await rig.call('file_scroll_down')).data).toMatchObject({ startLine: 201, endLine: 250 });
    expect((await rig.call('file_scroll_down')).text).toMatch(
      /^Nothing more to show: .* ends at line 250, and lines \d+-250 were shown last\.$/,
    );
    expect((await rig.call('file_goto_line', { line_number: 120 })).data).toMatchObject({ startLine: 70 });
    expect((await rig.call('file_scroll_up')).data).toMatchObject({ startLine: 1, endLine: 69 });
    const around = await rig.call('open_file', { path: at('f.py'), line_number: 120, context_lines: 10 });
    expect(around.data).toMatchObject({ startLine: 115, endLine: 124 });
    expect((await rig.call('get_file_info')).text).toMatch(
      /250 lines, [\d,]+ bytes\. Shown last: lines 115-124\./,
    );
    const wrong = await rig.call('open_file', { path: at('f.py'), line_number: 999 });
    expect(wrong).toMatchObject({
      ok: false,
      text: `There is no line 999 in ${at('f.py')}: it has 250 lines.`,
    });
  });

  test('what is unusual about the bytes is said; binary is refused', async () => {
    await put('crlf.txt', 'a\r\nb');
    expect((await rig.call('open_file', { path: at('crlf.txt') })).text).toContain(
      '(CRLF line endings, no line break at the end)',
    );
    await put('wide.txt', Buffer.from('\uFEFFa\nb\n', 'utf16le'));
    expect((await rig.call('open_file', { path: at('wide.txt') })).text).toContain('(UTF-16 LE)');
    await put('empty.txt', '');
    expect((await rig.call('open_file', { path: at('empty.txt') })).text).toContain('(the file is empty)');
    await put('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
    expect((await rig.call('open_file', { path: at('latin.txt') })).text).toContain('not valid text');
    await put('x.bin', Buffer.from([1, 0, 2]));
    expect(await rig.call('open_file', { path: at('x.bin') })).toMatchObject({
      ok: false,
      text: expect.stringContaining('is not a text file: it contains NUL bytes'),
    });
    expect((await rig.call('open_file', { path: at('none') })).error?.code).toBe('not_found');
    expect((await rig.call('open_file', { path: rig.root })).text).toContain('is a folder');
  });

  test('a very long line is cut with its count', async () => {
    await put('long.json', `${'x'.repeat(100_000)}\n`);
    const { text } = await rig.call('open_file', { path: at('long.json') });
    expect(text.length).toBeLessThan(2300);
    expect(text).toContain('98000 more characters in this line');
  });
});

describe('paths', () => {
  test('relative ones, those outside and symbolic links that lead outside are refused', async () => {
    await expect(rig.call('open_file', { path: 'f.py' })).rejects.toThrow(/relative path.*\/f\.py/s);
    await expect(rig.call('open_file', { path: '/etc/passwd' })).rejects.toThrow(/outside the workspace/);
    await symlink('/etc', at('etc'));
    const through = await rig.call('open_file', { path: at('etc/passwd') });
    expect(through).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(through.text).toContain('a symbolic link points to /etc/passwd');
    const written = await rig.call('create_file', { filename: at('etc/new/deep.txt'), content: 'x' });
    expect(written.error?.code).toBe('refused');
  });

  test('protected ones can be read and not changed, also through a link', async () => {
    expect((await rig.call('open_file', { path: at('data/test.jsonl') })).ok).toBe(true);
    await symlink(at('data'), at('alias'));
    for (const name of ['data/test.jsonl', 'alias/test.jsonl', 'fixed/new.txt']) {
      const refused = await rig.call('create_file', { filename: at(name), content: 'x' });
      expect(refused).toMatchObject({ ok: false, error: { code: 'refused' }, events: [] });
      expect(refused.text).toContain('is protected in this task');
    }
    expect(await readFile(at('data/test.jsonl'), 'utf8')).toBe('{}\n');
  });
});

describe('changing', () => {
  test('create_file makes folders, says what it replaced and does not echo the content', async () => {
    const made = await rig.call('create_file', { filename: at('new/deep/a.py'), content: 'x = 1\ny = 2\n' });
    expect(made.text).toBe(`Created ${at('new/deep/a.py')} (2 lines, 12 bytes).`);
    expect(made.events).toEqual([
      {
        kind: 'file.changed',
        body: {
          step: expect.any(Number),
          call: 0,
          computer: 'local',
          path: at('new/deep/a.py'),
          before: null,
          after: sha256(Buffer.from('x = 1\ny = 2\n')),
          size: 12,
          beforeText: null,
          text: 'x = 1\ny = 2\n',
          by: 'action',
        },
      },
    ]);
    const again = await rig.call('create_file', { filename: at('new/deep/a.py'), content: 'z' });
    expect(again.text).toContain('It replaced a file of 2 lines.');
    expect(again.events).toMatchObject([
      { body: { before: sha256(Buffer.from('x = 1\ny = 2\n')), beforeText: 'x = 1\ny = 2\n', text: 'z' } },
    ]);
    expect((await rig.call('create_file', { filename: at('new'), content: '' })).text).toContain(
      'is a folder',
    );
  });

  test('edit_file replaces a range, by default to the end, appends, and shows what changed', async () => {
    await put('e.txt', numbers(250));
    await rig.call('open_file', { path: at('e.txt') });
    const edited = await rig.call('edit_file', { path: at('e.txt'), start: 2, end: 3, content: 'new2' });
    expect(edited.text.split('\n')).toEqual([
      `Replaced lines 2-3 of ${at('e.txt')} with 1 line; it now has 249 lines.`,
      'Removed:',
      '2|line 2',
      '3|line 3',
      'Now:',
      '1|line 1',
      '2|new2',
      '3|line 4',
      '4|line 5',
      '5|line 6',
    ]);
    expect(edited.data).toMatchObject({
      startLine: 2,
      endLine: 2,
      shownStart: 1,
      shownEnd: 5,
      totalLines: 249,
    });
    const toEnd = await rig.call('edit_file', { path: at('e.txt'), start: 3, content: 'last' });
    expect(toEnd.text).toContain('(and 227 more)');
    expect(await readFile(at('e.txt'), 'utf8')).toBe('line 1\nnew2\nlast\n');
    const appended = await rig.call('edit_file', { path: at('e.txt'), start: 4, end: 4, content: 'four' });
    expect(appended.text).toMatch(/^Appended 1 line to /);
    expect(await readFile(at('e.txt'), 'utf8')).toBe('line 1\nnew2\nlast\nfour\n');
    for (const [start, end, problem] of [
      [6, -1, 'start must be at most 5'],
      [1, 9, 'end must be at most 4'],
      [3, 2, 'is before start'],
    ]) {
      const refused = await rig.call('edit_file', { path: at('e.txt'), start, end, content: 'x' });
      expect(refused).toMatchObject({
        ok: false,
        events: [],
        text: expect.stringContaining(String(problem)),
      });
    }
    const same = await rig.call('edit_file', { path: at('e.txt'), start: 4, end: 4, content: 'four' });
    expect(same).toMatchObject({ ok: true, events: [], text: expect.stringMatching(/^Nothing changed/) });
    const big = await rig.call('edit_file', { path: at('e.txt'), start: 1, content: numbers(5000) });
    expect(big.text).toContain('new lines not shown');
    expect(big.text.length).toBeLessThan(8200);
  });

  test('an edit keeps encoding and line ends; what it would destroy it refuses', async () => {
    await put('w.txt', Buffer.from('\uFEFFa\r\nb\r\n', 'utf16le'));
    await rig.call('edit_file', { path: at('w.txt'), start: 1, end: 1, content: 'é\nc' });
    expect((await readFile(at('w.txt'))).equals(Buffer.from('\uFEFFé\r\nc\r\nb\r\n', 'utf16le'))).toBe(true);
    await put('l.txt', Buffer.from('caf\xe9\n', 'latin1'));
    const refused = await rig.call('edit_file', { path: at('l.txt'), start: 1, content: 'x' });
    expect(refused).toMatchObject({ ok: false, text: expect.stringContaining('not valid text') });
    expect((await readFile(at('l.txt'))).length).toBe(5);
  });
});

describe('searching', () => {
  test('search_file: more than 50 matches are fine; line numbers count from 1; "" is the current file', async () => {
    await put('s.txt', numbers(250));
    await rig.call('open_file', { path: at('s.txt') });
    const all = await rig.call('search_file', { search_term: 'line', file_path: '' });
    expect(all).toMatchObject({ ok: true, data: { hits: 250, query: 'line', where: at('s.txt') } });
    expect(all.text.split('\n')[0]).toBe(
      `250 lines of ${at('s.txt')} contain "line". The first 50 are shown.`,
    );
    expect(all.text.split('\n').length).toBe(51);
    const some = await rig.call('search_file', { search_term: 'line 24', file_path: at('s.txt') });
    expect(some.text.split('\n').slice(0, 2)).toEqual([
      `11 lines of ${at('s.txt')} contain "line 24".`,
      '24|line 24',
    ]);
    expect((await rig.call('search_file', { search_term: 'nowhere' })).text).toMatch(/^No line of /);
  });

  test('search_dir, find_file and list_files count everything and show a bounded part', async () => {
    await mkdir(at('many/.hidden'), { recursive: true });
    for (let i = 0; i < 60; i += 1) await put(`many/n${i}.txt`, 'needle\nneedle\n');
    await put('many/b.bin', Buffer.from([0, 1]));
    await put('many/.hidden/h.txt', 'needle\n');
    const found = await rig.call('search_dir', { search_term: 'needle', dir_path: at('many') });
    expect(found).toMatchObject({ ok: true, data: { hits: 120, files: 60, partial: false } });
    expect(found.text.split('\n')[0]).toBe(
      `"needle" is on 120 lines of 60 files in ${at('many')}. The first 100 are shown.`,
    );
    const names = await rig.call('find_file', { file_name: 'n1', dir_path: at('many') });
    expect(names.data).toMatchObject({ hits: 11 });
    const list = await rig.call('list_files', { path: at('many') });
    expect(list.text).toContain('0 folders, 61 files.');
    expect(list.text).toContain('and 11 more files');
    expect((await rig.call('list_files', { path: at('many'), show_hidden: 'true' })).text).toContain(
      '.hidden/',
    );
    expect((await rig.call('list_files', {})).data.where).toBe(rig.root);
    expect((await rig.call('list_files', { path: at('s.txt') })).text).toContain('is not a folder');
  });
});

describe('changes by commands', () => {
  test('are recorded with their text before and after, once', async () => {
    await put('code.py', 'a = 1\n');
    const run = (command: string) => rig.call('run_command', { command, wait_for_completion: true });
    await run('true');
    const { events } = await run(`cd ${rig.root}; sed -i s/1/2/ code.py; echo new > added.py; rm f.py`);
    const changed = events.flatMap((event) => (event.kind === 'file.changed' ? [event.body] : []));
    expect(changed.map((body) => [body.path, body.beforeText?.slice(0, 6), body.text, body.by])).toEqual([
      [at('added.py'), undefined, 'new\n', 'shell'],
      [at('code.py'), 'a = 1\n', 'a = 2\n', 'shell'],
      [at('f.py'), 'line 1', null, 'shell'],
    ]);
    expect((await run('true')).events).toEqual([]);
    await rig.call('edit_file', { path: at('code.py'), start: 1, content: 'a = 3' });
    expect((await run('true')).events).toEqual([]);
    // Same size, at once after the last look: the time stamp alone would not tell.
    const again = await run('printf "a = 4\\n" > code.py');
    expect(again.events).toMatchObject([
      { body: { path: at('code.py'), beforeText: 'a = 3\n', text: 'a = 4\n' } },
    ]);
    const binary = await run('printf "\\0\\1" > data.bin');
    expect(binary.events).toEqual([]);
  });
});

describe('a folder that is shown to the run', () => {
  test('is read as the sessions read it, and changed by no file action; links out of it are refused', async () => {
    const shown = await mkdtemp(join(await realpath(tmpdir()), 'waymark-shown-'));
    const other = await mkdtemp(join(await realpath(tmpdir()), 'waymark-other-'));
    const own = await actionRig({ view: { shown: [{ path: shown, write: true }] } });
    try {
      await writeFile(join(shown, 'words.txt'), 'one\ntwo\n');
      await writeFile(join(other, 'words.txt'), 'three\n');
      await symlink(other, join(shown, 'out'));
      await symlink(shown, join(own.root, 'data'));
      expect((await own.call('open_file', { path: join(shown, 'words.txt') })).text).toContain('2|two');
      expect((await own.call('open_file', { path: join(own.root, 'data/words.txt') })).text).toContain(
        '1|one',
      );
      expect((await own.call('list_files', { path: shown })).text).toContain('words.txt');
      const found = await own.call('search_dir', { search_term: 'two', dir_path: shown });
      expect(found.text).toContain('words.txt');
      await expect(own.call('open_file', { path: join(shown, 'out/words.txt') })).resolves.toMatchObject({
        ok: false,
        text: expect.stringContaining('a symbolic link points to'),
      });
      for (const path of [`${shown}x/words.txt`, `${shown}/../${basename(other)}/words.txt`])
        await expect(own.call('open_file', { path })).rejects.toThrow(/outside the workspace/);
      for (const path of [join(shown, 'new.txt'), join(shown, 'words.txt')])
        await expect(own.call('create_file', { filename: path, content: 'x' })).rejects.toThrow(
          'where file actions can only read. Change it with run_command',
        );
      const linked = await own.call('create_file', {
        filename: join(own.root, 'data/new.txt'),
        content: 'x',
      });
      expect(linked).toMatchObject({ ok: false });
      expect(await readFile(join(shown, 'words.txt'), 'utf8')).toBe('one\ntwo\n');
    } finally {
      await own.dispose();
      for (const folder of [shown, other]) await rm(folder, { recursive: true });
    }
  });
});
