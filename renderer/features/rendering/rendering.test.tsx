import { hostileCorpus } from '@shared/terminal/hostile-corpus';
import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { contrast, paletteColour, type Rgb, readable } from './ansi-colours';
import { ansiLines } from './ansi-lines';
import { CodeLines } from './CodeText';
import { codeLines } from './code-lines';
import { type ContentHint, type ContentKind, contentKind } from './content-kind';
import { imagesIn, imagesOf } from './data-images';
import { parseJson } from './json-tree';
import { markdownTree } from './markdown-tree';
import { Rendered } from './Rendered';
import { RenderedText } from './RenderedText';
import { tableRows } from './table-rows';
import { around, findInText } from './text-find';

const allowed = new Set(
  (
    'p pre span b em strong del blockquote ul ol li code hr br h4 div table thead tbody tr th td section ' +
    'button figure figcaption img fieldset svg path'
  ).split(' '),
);
const attributes = new Set(
  (
    'class style type aria-label aria-expanded aria-pressed aria-hidden title tabindex scope start src alt loading decoding ' +
    'disabled data-kind viewBox width height fill stroke stroke-width stroke-linecap stroke-linejoin focusable d'
  ).split(' '),
);

/** What the markup consists of, by the only parser it needs: the server's markup escapes everything else. */
function anatomy(html: string): { elements: Set<string>; attributes: Set<string>; text: string } {
  const elements = new Set<string>();
  const names = new Set<string>();
  const text = html.replace(
    /<\/?([a-zA-Z0-9]+)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g,
    (_, name, rest) => {
      elements.add(name);
      for (const [, attribute] of rest.matchAll(/\s([a-zA-Z-]+)(?:="[^"]*")?/g)) names.add(attribute);
      return ' ';
    },
  );
  const plain = text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
  return { elements, attributes: names, text: plain };
}

const kinds: ContentKind[] = ['plain', 'ansi', 'json', 'table', 'markdown', 'image'];
const origins: ContentHint['origin'][] = ['model', 'program', 'argument'];

function markup(text: string, kind: ContentKind, hint: ContentHint = { origin: 'program' }): string {
  return renderToStaticMarkup(<Rendered part={text} whole={text} kind={kind} raw={false} hint={hint} />);
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '[a](https://a.example/"onmouseover="x)',
  '<https://a.example/>',
  '<iframe srcdoc="<b>x</b>">',
  '```html\n<style>*{display:none}</style>\n```',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'data:image/png;base64,PHN2Zz4=',
  '\u202egnp.exe',
  '| a |\n| - |\n| <b>x</b> |',
  '{"__proto__": {"<b>": 1}, "a": "<img>"}',
  'a\tb\n<b>\tc\nd\te',
  '[^1]: note\n\ntext[^1]',
  '<!-- hidden -->shown',
  '&lt;b&gt; &amp; &#x3c;i&#x3e;',
];

describe('whatever the text', () => {
  const piece = fc.oneof(
    fc.constantFrom(...hostile, ...hostileCorpus.map(([, input]) => input)),
    fc.constantFrom(
      '# head',
      '**bold**',
      '`code`',
      '- item',
      '> quote',
      '1. one',
      '~~gone~~',
      '[x] done',
      '\n\n',
      '\n',
      '  ',
    ),
    fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b[38;5;200m', '\u001b[48;2;1;2;3m', '\u001b[7m'),
    fc.string({ maxLength: 20 }),
  );
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' '));

  test('only allowed elements and attributes come out, and no address but that of a picture', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...kinds), fc.constantFrom(...origins), (text, kind, origin) => {
        const html = markup(text, kind, { origin });
        const found = anatomy(html);
        expect([...found.elements].filter((name) => !allowed.has(name))).toEqual([]);
        expect([...found.attributes].filter((name) => !attributes.has(name))).toEqual([]);
        for (const [, source] of html.matchAll(/ src="([^"]*)"/g)) {
          expect(source).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/);
        }
        for (const [, style] of html.matchAll(/ style="([^"]*)"/g))
          expect(style).toMatch(/^[a-z0-9:;(). -]*$/);
      }),
      { numRuns: 400 },
    );
  });

  test('no word is lost', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9]{3,12}$/);
    const mark = fc.constantFrom(
      '',
      ' ',
      '\n',
      '\n\n',
      '\n- ',
      '\n# ',
      ' **',
      '** ',
      ' `',
      '` ',
      '\n> ',
      ' | ',
      ', ',
      '\t',
      ' <b>',
      '</b> ',
      ' ![',
      '](http://e.example/i.png) ',
      '\u001b[1;31m',
      '\u001b[0m',
      '\n```\n',
      ' [',
      '](x) ',
      '"',
      '{',
      '}',
      '&amp;',
      '\n|-|-|\n',
      '[^1]',
      '\\',
    );
    const pieces = fc.array(fc.tuple(word, mark), { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(pieces, fc.constantFrom(...kinds), fc.constantFrom(...origins), (parts, kind, origin) => {
        const text = parts.map(([each, after]) => `${each}${after || ' '}`).join('');
        const shown = anatomy(markup(text, kind, { origin })).text;
        for (const [each] of parts) expect(shown).toContain(each);
      }),
      { numRuns: 600 },
    );
  });

  test('what is chosen by content shows all of it too', () => {
    const row = fc.array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 3, maxLength: 20 }),
        fc.constantFrom(',', '\t', ';'),
        (rows, mark) => {
          const text = rows.map((cells) => cells.join(mark)).join('\n');
          expect(contentKind(text, { origin: 'program' })).toBe('table');
          const shown = anatomy(markup(text, 'table')).text.split(/\s+/);
          for (const cell of rows.flat()) expect(shown).toContain(cell);
        },
      ),
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify([value, value], null, 1);
        const shown = anatomy(markup(text, 'json')).text;
        if (text.length > 1500) return;
        for (const literal of text.match(/"(?:[^"\\]|\\.)*"|[-\w.+]+/g) ?? []) {
          // What holds lines is shown as the text it is.
          if (/\\[nr]|\\u00/.test(literal)) continue;
          if (!/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(literal))
            expect(shown).toContain(literal);
        }
      }),
    );
  });
});

test('a text of five megabytes is shown in part', () => {
  const line = 'epoch 12 loss 0.4312 accuracy 0.87\n';
  const text = line.repeat(Math.ceil((5 * 1024 * 1024) / line.length));
  const html = renderToStaticMarkup(<RenderedText text={text} hint={{ origin: 'program' }} lines={24} />);
  expect(html.length).toBeLessThan(20_000);
  expect(findInText(text, 'EPOCH 12').length).toBe(10_000);
});

test('what nests without end is not taken apart', () => {
  const nested = ['>'.repeat(9000), `${'['.repeat(9000)}x`, `${'* '.repeat(8000)}x`, '`'.repeat(9000)];
  for (const text of nested) expect(markdownTree(text)).toBeNull();
  expect(contentKind(`# head\n\n${'[a]('.repeat(10_000)}`, { origin: 'model' })).toBe('plain');
  expect(markdownTree('- a\n  - b')).not.toBeNull();
  expect(parseJson('['.repeat(5000) + ']'.repeat(5000))).toBeNull();
});

test('of a progress bar its last state is left; a link is its text; a title is nothing', () => {
  const shown = (text: string) =>
    ansiLines(text)
      .map((line) => line.map((span) => span.text).join(''))
      .join('\n');
  expect(shown('10%|#   |\r50%|##  |\r100%|####|\ndone')).toBe('100%|####|\ndone');
  expect(shown('long text\rab\u001b[Kc')).toBe('abc');
  expect(shown('a\r\nb')).toBe('a\nb');
  expect(shown('\u001b]8;;https://x.example\u0007here\u001b]8;;\u0007 \u001b]0;title\u0007end')).toBe(
    'here end',
  );
});

test('every colour of the 256 can be read on both grounds', () => {
  const grounds: Rgb[] = [
    [14, 15, 17],
    [250, 250, 251],
  ];
  for (let index = 0; index < 256; index += 1) {
    const colour = paletteColour(index);
    expect(colour).not.toBeNull();
    if (colour === null || typeof colour === 'string') continue;
    for (const ground of grounds)
      expect(contrast(readable(colour, ground), ground)).toBeGreaterThanOrEqual(4.5);
  }
  expect(paletteColour(256)).toBeNull();
  expect(ansiLines('\u001b[38;2;1;2;3mx')[0]?.[0]?.style.colour).toEqual([1, 2, 3]);
});

test('JSON keeps its literals: large numbers, doubled keys, escapes', () => {
  const text = '{"a": 12345678901234567890, "a": 1e400, "b": "\\u0041"}';
  const { text: shown } = anatomy(markup(text, 'json'));
  for (const literal of ['12345678901234567890', '1e400', '"\\u0041"']) expect(shown).toContain(literal);
  expect(shown.match(/"a":/g)).toHaveLength(2);
});

test('a string of several lines reads as text, progress bars at their end, one line as its literal', () => {
  const output = 'first\n 10%\r 90%\r100%\n\u001b[31mred\u001b[0m';
  const { text: shown } = anatomy(markup(JSON.stringify({ ok: true, output, note: 'one line\n' }), 'json'));
  expect(shown).toMatch(/first\s*\n\s*100%\s*\n\s*red/);
  expect(shown).not.toContain('90%');
  expect(shown).toContain('"one line\\n"');
});

test('code keeps every character in its place', () => {
  const text = 'def f():\n  return "x" # y\n';
  const tokens = [
    [
      { offset: 0, type: 'keyword.python' },
      { offset: 3, type: 'white.python' },
    ],
    [
      { offset: 2, type: 'keyword.python' },
      { offset: 9, type: 'string.python' },
      { offset: 13, type: 'comment.python' },
    ],
  ];
  expect(
    codeLines(text, tokens)
      .map((line) => line.map((piece) => piece.text).join(''))
      .join('\n'),
  ).toBe(text);
  expect(renderToStaticMarkup(<CodeLines lines={codeLines(text, tokens)} />)).toContain(
    '<span class="code-comment"># y</span>',
  );
});

test('pictures are taken only when they are what they say, and never from elsewhere', () => {
  const png = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(40)}`;
  expect(imagesIn(`see ${png} end`)).toMatchObject({ text: 'see [image 1] end', images: [{ type: 'png' }] });
  for (const text of [
    'data:image/png;base64,PHN2Zz4=',
    'data:image/svg+xml;base64,iVBORw0KGgo',
    'https://a.example/x.png',
  ]) {
    expect(imagesIn(text)).toEqual({ text, images: [] });
  }
  const source = { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' };
  expect(imagesOf({ content: [{ source }] })).toMatchObject([{ type: 'jpeg' }]);
  expect(imagesOf({ content: [{ source: { ...source, media_type: 'image/svg' } }] })).toEqual([]);
});

test('content tells how it is shown; prose with commas is no table', () => {
  const program: ContentHint = { origin: 'program' };
  expect(contentKind('a,b\n1,2\n3,4', program)).toBe('table');
  expect(contentKind('First, I look.\nThen, I edit.\nSo, done, yes.', program)).toBe('plain');
  expect(contentKind('{"a":[1]}', program)).toBe('json');
  expect(contentKind('{"a":1}\n{"a":2}', program)).toBe('json');
  expect(contentKind('{not json}', program)).toBe('plain');
  expect(contentKind('\u001b[32mok\u001b[0m', program)).toBe('ansi');
  expect(contentKind('# Plan\n\n- one', { origin: 'model' })).toBe('markdown');
  expect(contentKind('x = 1', { origin: 'argument', path: '/w/a.py' })).toBe('code');
  expect(tableRows('a,"b, c"\n1,"2\n3"\n4,5')?.rows[0]).toEqual(['1', '2\n3']);
});

test('a hit is shown with its line and what stands around it', () => {
  const text = `${'x\n'.repeat(5000)}needle here\n${'y\n'.repeat(5000)}`;
  const [at] = findInText(text, 'NEEDLE');
  const place = around(text, at ?? 0, 6);
  expect(place).toMatchObject({ hit: 'needle', line: 5001, cut: { start: true, end: true } });
  expect(place.before.length + place.after.length).toBeLessThan(7000);
});
