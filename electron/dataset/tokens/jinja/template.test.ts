import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { JinjaOracle, noJinja } from '../../../testing/tokens/jinja-oracle';
import { templateNames, templateText } from '../../../testing/tokens/tiny-tokenizer';
import { tokenRows } from '../../../testing/tokens/token-rows';
import { templateRow } from '../conversation';
import { ChatTemplate, type TemplateInput } from './template';

const nothing: TemplateInput = { messages: [], tools: null, addGenerationPrompt: false, variables: {} };

function render(source: string, variables: Record<string, unknown> = {}): string {
  const run = ChatTemplate.parse(source, 'chat_template.jinja').render({ ...nothing, variables });
  return run.ok ? run.text : `${run.failure.kind}: ${run.failure.message}`;
}

/** Each of them as Jinja2 3.1 prints it. */
const cases: [source: string, printed: string, variables?: Record<string, unknown>][] = [
  ["{{ '\\n\\nx \\n'.strip('\\n') }}|", 'x |'],
  ["{{ 'abcxcba'.lstrip('ab') }}|{{ 'abcxcba'.rstrip('ab') }}", 'cxcba|abcxc'],
  ['[{{ x.strip() }}]', '[\ufeffx]', { x: '\x1c\x85 \ufeffx\u3000' }],
  ['[{{ x | trim }}]', '[\ufeffx]', { x: '\x1c\x85 \ufeffx\u3000' }],
  ["{{ ' a b  c '.split() | tojson }}{{ 'a,b,c'.split(',', 1) }}", '["a", "b", "c"][\'a\', \'b,c\']'],
  ['{{ true | string }} {{ none | string }} {{ true }} {{ none }}', 'True None True None'],
  ['{{ missing }}|{{ missing is defined }}', '|False'],
  [
    '{{ x }}',
    "{'a': [1, 1.5, True, None, \"it's\", 'a\\nb']}",
    { x: { a: [1, 1.5, true, null, "it's", 'a\nb'] } },
  ],
  [
    '{{ x | tojson }}',
    '{"a": [1, 1.5, 1e-07, true, null], "é": "\\n\\u0001"}',
    { x: { a: [1, 1.5, 1e-7, true, null], é: '\n\x01' } },
  ],
  [
    '{{ x | tojson(indent=2, sort_keys=true) }}',
    '{\n  "a": [],\n  "b": {\n    "c": 1\n  }\n}',
    { x: { b: { c: 1 }, a: [] } },
  ],
  ["{{ x | tojson(ensure_ascii=true, separators=(',', ':')) }}", '{"a":"\\u00e9"}', { x: { a: 'é' } }],
  ['a\r\n{% if true %}\r\nb\r{% endif %}', 'a\nb\n'],
  ['{% for x in [1, 2, 3] %}{{ x }}{% if x == 2 %}!{% break %}{% endif %},{% endfor %}', '1,2!'],
  ['{% for x in [1, 2, 3] %}{{ x }}{% if x == 2 %}!{% continue %}{% endif %},{% endfor %}', '1,2!3,'],
  ['{% for x in [1, 2] %}{% if y is defined %}seen{% endif %}{% set y = x %}{% endfor %}', ''],
  [
    '{% for k, v in x.items() %}{{ k }}={{ v }};{% else %}none{% endfor %}',
    'b=1;a=2;',
    { x: { b: 1, a: 2 } },
  ],
  ["{{ '1' == 1 }} {{ 1 == 1.0 }} {{ none == missing }} {{ [1, 'a'] == [1, 'a'] }}", 'False True False True'],
  ["{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 'ab' * 2 }}", '3 -4 2 3.5 abab'],
  ["{{ 'a' ~ 1 ~ none ~ true }}", 'a1NoneTrue'],
  ["{{ '日本👩'|length }} {{ '日本👩'[2] }} {{ '👩x'[1:] }}", '3 👩 x'],
  ['{{ x.items is defined }} {{ x["items"] }}', 'True 5', { x: { items: 5 } }],
  ['{{ strftime_now("%d %B %Y, %b %A") }}', '01 January 2025, Jan Wednesday'],
  ['x  {%- generation -%}  y  {% endgeneration %}\nz', 'xy  z'],
  ['{% set ns = namespace(n=0) %}{% for x in [1, 2] %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}', '3'],
  ["{{ [{'r': 'u'}, {'r': 'a'}] | selectattr('r', 'equalto', 'a') | list | length }}", '1'],
  ["{{ x | map(attribute='r') | join('-') }}", 'u-a', { x: [{ r: 'u' }, { r: 'a' }] }],
  ['{% macro m(a) %}{{ x }}{{ a }}{% endmacro %}{% for x in [1] %}[{{ m(2) }}]{% endfor %}', '[2]'],
  [
    '{% macro m() %}({{ caller(1) }}){% endmacro %}{% for x in [7] %}{% call(a) m() %}{{ x }}{{ a }}{% endcall %}{% endfor %}',
    '(71)',
  ],
  ['{% if [] | select %}a generator is true{% endif %}{{ ([1, 0] | select)[0] }}', 'a generator is true'],
  ['{% for pair in x | items %}{{ pair }}{% endfor %}', "('a', 1)", { x: { a: 1 } }],
  ["{{ true | abs }} {{ 'a' * true }} {{ ['x'] | safe }}", "1 a ['x']"],
  ['{% for x in missing %}x{% endfor %}{{ "a" in missing }}', 'False'],
];

describe('what a template prints', () => {
  it.each(cases)('%j', (source, printed, variables) => {
    expect(render(source, variables)).toBe(printed);
  });

  it('stops where Python stops, with its reason', () => {
    expect(render("{{ 'a' + {'b': 1} }}")).toBe('python: can only concatenate str (not "dict") to str');
    expect(render("{{ x + 'a' }}", { x: {} })).toBe(
      "python: unsupported operand type(s) for +: 'dict' and 'str'",
    );
    expect(render('{{ a.b.c }}', { a: {} })).toBe("python: 'a.b' is undefined");
    expect(render('{{ a.items() }}', { a: 'text' })).toBe("python: 'a.items' is no method there");
    expect(render('{{ 1 in "a" }}')).toBe("python: 'in <string>' requires string as left operand, not int");
    expect(render('{{ missing | tojson }}')).toBe(
      'python: Object of type Undefined is not JSON serializable',
    );
    expect(render('{% for x in none %}{% endfor %}')).toBe("python: 'NoneType' object is not iterable");
    expect(render('{{ ld | selectattr("r") | length }}', { ld: [] })).toBe(
      "python: object of type 'generator' has no len()",
    );
    expect(render('{{ [] in {} }}')).toBe("python: unhashable type: 'list'");
    expect(render('{{ x.append(1) }}', { x: [] })).toBe(
      "python: access to attribute 'append' of 'list' object is unsafe.",
    );
    expect(render("{{ raise_exception('Roles must alternate.') }}")).toBe('raised: Roles must alternate.');
  });

  it('names what it cannot carry out, and does not guess', () => {
    const template = ChatTemplate.parse(
      "{% if a %}{{ a | wordwrap }}{{ '%s' % a }}{{ a is divisible }}{% endif %}x",
      't',
    );
    expect(template.unsupported).toEqual([
      "formatting by '…' % value",
      'the filter wordwrap',
      'the test "is divisible"',
    ]);
    expect(template.render(nothing)).toEqual({ ok: true, text: 'x' });
    const reached = template.render({ ...nothing, variables: { a: 1 } });
    expect(reached).toEqual({
      ok: false,
      failure: { kind: 'unsupported', message: 'it uses the filter wordwrap' },
    });
    expect(render('{{ {"a": 1}.items() }}')).toBe('unsupported: it uses printing a dictionary view');
    expect(render('{{ [1] < [2] }}')).toBe('unsupported: it uses "<" with a list');
    expect(render('{{ 1 is constructor }}')).toBe('unsupported: it uses the test "is constructor"');
    expect(render('{{ 1 | constructor }}')).toBe('unsupported: it uses the filter constructor');
    expect(render("{{ '{}'.format(1) }}")).toBe('unsupported: it uses the method str.format');
  });

  it('ends what would take all memory or never end on its own', () => {
    expect(render('{{ range(10 ** 9) }}')).toMatch(/^python: Range too big/);
    expect(render('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}')).toBe(
      'python: it calls itself without end',
    );
    expect(render("{{ 'x' * 10 ** 9 }}")).toMatch(/^unsupported: it uses a repeated text/);
  });

  it('is refused with the reason when it does not parse', () => {
    const parse = (source: string) => () => ChatTemplate.parse(source, 'chat_template.jinja');
    expect(parse('{% if x %}')).toThrow(/The chat template in chat_template.jinja cannot be read/);
    expect(parse('{% include "other" %}')).toThrow(/Unknown statement type: include/);
    expect(parse('x'.repeat(1024 * 1024 + 1))).toThrow(/longer than 1048576 characters/);
  });
});

describe('marks', () => {
  it('are made of characters that the conversation does not hold', () => {
    const template = ChatTemplate.parse('{% for m in messages %}{{ m.content }}{% endfor %}', 't');
    const all = Array.from({ length: 31 }, (_, index) => String.fromCharCode(0xfdd0 + index)).join('');
    const messages = [{ content: '\ufdd0m1:1\ufdd1' }, { content: 'x' }];
    const run = template.renderMarked({ ...nothing, messages });
    expect(run.ok && run.marked).toEqual({
      text: '\ufdd0m1:1\ufdd1x',
      spans: [
        { index: 0, from: 0, to: 6 },
        { index: 1, from: 6, to: 7 },
      ],
      generations: [],
    });
    expect(template.renderMarked({ ...nothing, messages: [{ content: all }] })).toMatchObject({
      ok: false,
      failure: { kind: 'unsupported' },
    });
  });

  it('survive white space that is stripped around a whole conversation', () => {
    const source =
      '{% set all %}{% for m in messages %} {{ m.content }} {% endfor %}{% endset %}[{{ all | trim }}]';
    const run = ChatTemplate.parse(source, 't').renderMarked({
      ...nothing,
      messages: [{ content: 'a' }, { content: 'b' }],
    });
    expect(run.ok && run.marked).toEqual({
      text: '[a  b]',
      spans: [
        { index: 0, from: 1, to: 3 },
        { index: 1, from: 3, to: 5 },
      ],
      generations: [],
    });
  });

  it('are given up where a template works on what it has rendered', () => {
    const source =
      '{% set all %}{% for m in messages %}{{ m.content }}{% endfor %}{% endset %}{{ all | length }}';
    const run = ChatTemplate.parse(source, 't').renderMarked({ ...nothing, messages: [{ content: 'a' }] });
    expect(run).toMatchObject({ ok: false, failure: { kind: 'unsupported' } });
  });
});

describe.skipIf(noJinja !== null)(`against Jinja2 itself (${noJinja ?? 'python3'})`, () => {
  const oracle = noJinja === null ? new JinjaOracle() : null;
  afterAll(() => oracle?.close());
  const runs = process.env.WAYMARK_FULL === '1' ? 300 : 25;

  test('the cases above', async () => {
    for (const [source, printed, variables = {}] of cases)
      expect(await oracle?.render(source, { ...nothing, variables }), source).toMatchObject({
        text: printed,
      });
  });

  test.each(templateNames)('%s: text, generations, and where it stops', {
    timeout: 240_000,
  }, async (name) => {
    const template = ChatTemplate.parse(templateText(name), name);
    const random = fc.asyncProperty(
      ...[tokenRows, fc.constantFrom<'string' | 'object'>('string', 'object'), fc.boolean()],
      async (row, form, addGenerationPrompt) => {
        const { messages, tools } = templateRow(row, form, 'trl');
        const input = { messages, tools, addGenerationPrompt, variables: { bos_token: '<s>' } };
        const [ours, theirs] = [template.renderMarked(input), await oracle?.render(template.source, input)];
        if (!ours.ok)
          expect([ours.failure.kind !== 'unsupported', theirs]).toEqual([
            true,
            { error: expect.any(String) },
          ]);
        else {
          const { text, generations } = ours.marked;
          expect({ text, generations: generations.map(({ from, to }) => [from, to]) }).toEqual(theirs);
        }
      },
    );
    await fc.assert(random, { numRuns: runs });
  });
});
