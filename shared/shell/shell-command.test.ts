import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changes, commandName, everyCommand, longestShellText, looksAt, parseShell } from './shell-command';

const names = (command: string) => everyCommand(parseShell(command)).map(commandName);
const argv = (command: string) => parseShell(command).map((simple) => simple.argv);

describe('parseShell', () => {
  test('quotes, escapes and separators', () => {
    expect(argv(`echo 'a b' "c d" e\\ f && ls; pwd | wc -l & true`)).toEqual([
      ['echo', 'a b', 'c d', 'e f'],
      ['ls'],
      ['pwd'],
      ['wc', '-l'],
      ['true'],
    ]);
    expect(argv(`echo "a\\"b" $'x\\ty'`)).toEqual([['echo', 'a"b', 'x\ty']]);
    expect(argv('echo a \\\n  b # comment; rm x\nls')).toEqual([['echo', 'a', 'b'], ['ls']]);
  });

  test('words that depend on the environment are null', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text, not a template
    expect(argv('cat $FILE "${DIR}/x" `ls` $(pwd)/y "cost: 5$"')).toEqual([
      ['cat', null, null, null, null, 'cost: 5$'],
    ]);
  });

  test('redirections and heredocs', () => {
    const [simple] = parseShell("cat > /w/a.py 2>&1 <<'EOF'\nrm -rf / $(pkill x)\nEOF\n");
    expect(simple?.redirects).toEqual([
      { fd: null, operator: '>', target: '/w/a.py' },
      { fd: 2, operator: '>&', target: '1' },
    ]);
    expect(simple?.heredocs).toEqual([{ delimiter: 'EOF', text: 'rm -rf / $(pkill x)\n', literal: true }]);
    expect(names("cat > /w/a.py <<'EOF'\npkill x\nEOF\nls")).toEqual(['cat', 'ls']);
    expect(names('cat <<EOF\n$(pkill x)\nEOF')).toEqual(['cat', 'pkill']);
  });

  test('control structures leave the commands inside', () => {
    expect(names('for f in a b; do rm "$f"; done')).toEqual(['rm']);
    expect(names('if [ -f x ]; then cat x; else touch x; fi')).toEqual(['[', 'cat', 'touch']);
    expect(names('case "$1" in start) run it;; stop|end) kill 1;; esac; ls')).toEqual(['run', 'kill', 'ls']);
    expect(names('while read l; do echo "$l"; done < in.txt')).toEqual(['read', 'echo', '']);
    expect(names('f() { nohup x; }; f')).toEqual(['nohup', 'x', 'f']);
    expect(names('[[ $a > b && -f c ]]; rm y')).toEqual(['[[', 'rm']);
    expect(names('(( i = 1 > 2 )); ls')).toEqual(['ls']);
    expect(names('a=(1 2 3) b=$(rm x)')).toEqual(['', 'rm']);
  });

  test('what a command starts is nested in it', () => {
    expect(names('bash -c "cd /x && rm -rf /etc"')).toEqual(['bash', 'cd', 'rm']);
    expect(names(`sudo -u me env A=1 timeout -s KILL 5 nohup python t.py &`)).toEqual([
      'sudo',
      'env',
      'timeout',
      'nohup',
      'python',
    ]);
    expect(names('find . -name "*.pyc" | xargs -0 -n 1 rm -f')).toEqual(['find', 'xargs', 'rm']);
    expect(names('find /w -type f -exec sed -i s/a/b/ {} +')).toEqual(['find', 'sed']);
    expect(names('echo $(kill $(pgrep x))')).toEqual(['echo', 'kill', 'pgrep']);
    expect(names('diff <(sort a) <(sort b)')).toEqual(['diff', 'sort', 'sort']);
    expect(names('bash <<EOF\npkill x\nEOF')).toEqual(['bash', 'pkill']);
    expect(names('eval "pkill x"')).toEqual(['eval', 'pkill']);
  });

  test('text that only looks like a command is not one', () => {
    for (const command of [
      'python -c "import transformers; print(1)"',
      'echo warm && python -c "print(1)" # inform',
      'python -c "x = 1; format(x); inform()"',
      'grep -rn "kill -9" src',
      'git commit -m "rm old files; nohup"',
      'ls skill/ && cat overkill.txt',
    ]) {
      expect(names(command)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(?:rm|kill|nohup)$/)]),
      );
    }
  });

  test('pipes, background and directories are known', () => {
    const [cd, cat, wc] = parseShell('cd /w/src && cat a | wc -l');
    expect([cd?.directory, cat?.directory, cat?.intoPipe, wc?.fromPipe]).toEqual(['', '/w/src', true, true]);
    expect(parseShell('sleep 5 &')[0]?.background).toBe(true);
    expect(parseShell('(cd /x; ls); pwd').map((c) => c.directory)).toEqual(['', '/x', '']);
    expect(parseShell('cd $D; ls').map((c) => c.directory)).toEqual(['', null]);
  });

  test('any text is read without failing, in linear time', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), shellText), (text) => {
        expect(Array.isArray(looksAt(text).concat(changes(text)))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    for (const piece of [
      '$(',
      '((',
      '"$(',
      '${',
      '`',
      '<(',
      '[[ (',
      "$'",
      'bash -c "',
      '<<A ',
      '(',
      ';;',
      'a=(',
    ]) {
      parseShell(piece.repeat(20_000));
    }
  });

  test('a quoted word comes back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
        expect(argv(`run ${quoted.join(' ')}`)).toEqual([['run', ...words]]);
      }),
    );
  });
});

const shellText = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        ' ',
        '\n',
        '"',
        "'",
        '$',
        '(',
        ')',
        '{',
        '}',
        '<',
        '>',
        '|',
        '&',
        ';',
        '`',
        '\\',
        '#',
        '=',
        '[[',
      ],
      ...[
        ' in ',
        'case ',
        'esac',
        'for ',
        ' do ',
        'done',
        '<<E',
        'E',
        'cd ',
        'rm ',
        '../',
        'find ',
        '-exec ',
      ],
      ...['constructor ', '__proto__ ', 'toString'],
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

test.each([
  ['cat /w/a.py', ['/w/a.py']],
  ['cd /w/src && head -n 20 a.py ../b.py', ['/w/src/a.py', '/w/b.py']],
  ["sed -n '1,20p' a.py", ['a.py']],
  ['sed -i s/a/b/ a.py', []],
  ['cat a | grep x', ['a']],
  ['grep -rn "def f" src/', ['src']],
  ['grep -q x a.py', []],
  ['cat a.py > b.py', []],
  ["awk -F, '{print $1}' data.csv", ['data.csv']],
  ['tail -f /w/log.txt', ['/w/log.txt']],
  ['git diff -- a.py b.py', ['a.py', 'b.py']],
  ['git -C /w show HEAD:src/a.py', ['/w/src/a.py']],
  ['wc -l < a.txt', ['a.txt']],
  ['less $F', []],
  ['bash -c "cat x.py"', ['x.py']],
  ['ls -la /w', []],
])('looksAt %s', (command, paths) => {
  expect(looksAt(command)).toEqual(paths);
});

test.each([
  ['sed -i.bak -e s/a/b/ a.py', ['a.py']],
  ["sed -i 's/a/b/' a.py b.py", ['a.py', 'b.py']],
  ['perl -pi -e s/a/b/ a.py', ['a.py']],
  ['echo x | tee -a a.log', ['a.log']],
  ['echo x > a.txt 2>/dev/null', ['a.txt']],
  ['python t.py &>> run.log', ['run.log']],
  ['cat > /w/a.py <<EOF\nx\nEOF', ['/w/a.py']],
  ['cp a.py b.py', ['b.py']],
  ['cp a.py b.py dir', ['dir/a.py', 'dir/b.py']],
  ['mv a.py dir/', ['a.py', 'dir/a.py']],
  ['git checkout -- a.py', ['a.py']],
  ['git checkout main', []],
  ['git restore src/a.py', ['src/a.py']],
  ['git apply <<EOF\n--- a/x.py\n+++ b/x.py\nEOF', ['x.py']],
  ['patch -p1 < fix.patch', []],
  ['patch a.py < fix.patch', ['a.py']],
  ['rm -rf out', ['out']],
  ['touch a', ['a']],
  ['truncate -s 0 a', ['a']],
  ['dd if=x of=y', ['y']],
  ['cat a.py', []],
  ['echo 2>&1 hi', []],
  ['find . -name x -exec sed -i s/a/b/ a.py \\;', ['a.py']],
])('changes %s', (command, paths) => {
  expect(changes(command)).toEqual(paths);
});

test('a text that no shell would take is not read', () => {
  expect(parseShell(`ls ${'a'.repeat(longestShellText)}`)).toEqual([]);
  expect(parseShell(`ls ${'a'.repeat(longestShellText - 3)}`)).toHaveLength(1);
});

test('what cd leads to is said as before', () => {
  const places = (command: string) => parseShell(command).map(({ directory }) => directory);
  expect(places('cd a; cd b/c; cd ..; cd ../..; cd .; cd x; cd /; cd y; cd ../..; cd z; ls')).toEqual([
    '',
    'a',
    'a/b/c',
    'a/b',
    '.',
    '.',
    'x',
    '/',
    '/y',
    '/',
    '/z',
  ]);
  expect(places('cd ..; cd ..; cd a; cd ..; ls')).toEqual(['', '..', '../..', '../../a', '../..']);
});
