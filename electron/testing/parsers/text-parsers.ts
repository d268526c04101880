import { csvText } from '@shared/base/csv-text';
import { countChangedLines, lineChanges } from '@shared/base/line-diff';
import { escapeHumanTag, escapeHumanTagInJson, hasHumanTag } from '@shared/context/human-tag';
import { diffPrompts } from '@shared/context/prompt-diff';
import { isId } from '@shared/contract/id';
import { checkPattern, patternOf } from '@shared/contract/search/pattern';
import { contentKind, MAX_MARKDOWN } from '../../../renderer/features/rendering/content-kind';
import { imagesIn } from '../../../renderer/features/rendering/data-images';
import { MAX_JSON, parseJson, parseJsonLines } from '../../../renderer/features/rendering/json-tree';
import { markdownTree } from '../../../renderer/features/rendering/markdown-tree';
import { tableRows } from '../../../renderer/features/rendering/table-rows';
import { findInText } from '../../../renderer/features/rendering/text-find';
import { replaceLines, splitLines } from '../../actions/text-file';
import { requiredPhrase } from '../../store/search/regex-literal';
import { parseQuery } from '../../store/search/search-query';
import { indexedText, tokensOf } from '../../store/search/search-tokens';
import { again, counted, nested, type Parser } from './parser';

const prose: Parser['shapes'] = {
  'one long line': again('x'),
  'short lines': again('a\n'),
  'different lines': counted((index) => `line ${index}\n`),
  blanks: again(' '),
  'blanks and line ends': again(' \n\t'),
  quotes: again('"'),
  'angle brackets': again('<'),
  'open tags': again('< real_'),
  'nulls and marks': again('\u0000\u200b\u0301'),
  words: counted((index) => `w${index} `),
};

const json: Parser['shapes'] = {
  'open arrays': again('['),
  arrays: nested('[', ']'),
  objects: nested('{"a":', '}', '1'),
  'different names': counted((index) => `"k${index}":${index}`, '{', '}', ','),
  'one name again and again': counted(() => '"k":1', '{', '}', ','),
  numbers: again('1,', '[', '1]'),
  'one long text': again('\\u001b', '["', '"]'),
  'lines of objects': counted((index) => `{"a":"${index}\\n\\n"}\n`),
  'an open text': again('a', '["'),
};

const markdown: Parser['shapes'] = {
  emphasis: again('*a **b _c '),
  brackets: again('[a](', '', ''),
  'open brackets': again('[a'),
  quotes: again('> '),
  lists: again('- a\n  '),
  'nested lists': counted((index) => `${'  '.repeat(index % 39)}- a\n`),
  tables: again('|a|b|\n', '|a|b|\n|-|-|\n'),
  'rules of tables': again('|-', 'a|b\n'),
  references: counted((index) => `[r${index}]: x\n[r${index}]\n`),
  footnotes: counted((index) => `[^${index}] [^${index}]: x\n`),
  fences: again('```\n'),
  backticks: counted((index) => `${'`'.repeat((index % 150) + 1)} `),
  html: again('<a b="'),
  entities: again('&#x41;&amp'),
  addresses: again('www.a.b/(('),
  'addresses of people': again('a.b-c_d@'),
  strikes: again('~~a~'),
};

const halves = (text: string): [string, string] => [
  text.slice(0, text.length / 2),
  text.slice(text.length / 2),
];
const prompt = (text: string) => ({
  messages: text.split('\n', 2_000).map((content, step) => ({
    role: 'user' as const,
    json: JSON.stringify({ role: 'user', content }),
    content,
    tokens: 1,
    step,
  })),
  tools: [],
  request: {},
  tail: '',
});

/** Everything that takes apart what a person looks at, searches for or compares. */
export const textParsers: readonly Parser[] = [
  {
    names: ['parseJson', 'parseJsonLines'],
    most: MAX_JSON,
    shapes: json,
    parse: (text) => [parseJson(text), parseJsonLines(text)],
  },
  { names: ['markdownTree'], most: MAX_MARKDOWN, shapes: markdown, parse: markdownTree },
  {
    names: ['contentKind'],
    shapes: {
      ...prose,
      ...json,
      'data images': again('data:image/png;base64,AAAA '),
      'an open image': again('A', 'data:image/png;base64,'),
    },
    parse: (text) => [contentKind(text, { origin: 'model' }), contentKind(text, { origin: 'program' })],
  },
  {
    names: ['imagesIn'],
    shapes: {
      'data images': again('data:image/png;base64,AAAA '),
      'an open image': again('A', 'data:image/png;base64,'),
      'their beginning': again('data:image/'),
    },
    parse: imagesIn,
  },
  {
    names: ['tableRows'],
    most: 512 * 1024,
    shapes: {
      ...prose,
      cells: again('a,', 'a,b\n'),
      rows: again('a,b\n'),
      'open quotes': again('"a,\n"'),
      'doubled quotes': again('""', 'a,"'),
      'pipe rows': again('| a | b |\n', '| a | b |\n|---|---|\n'),
      'escaped pipes': again('\\|', '| a | b |\n|---|---|\n|'),
    },
    parse: tableRows,
  },
  { names: ['findInText'], shapes: prose, parse: (text) => findInText(text, 'xx') },
  {
    names: ['splitLines', 'replaceLines'],
    shapes: prose,
    parse: (text) =>
      replaceLines({ encoding: 'utf8', bom: false, damaged: false, ...splitLines(text) }, 1, 1, text),
  },
  {
    names: ['lineChanges', 'countChangedLines'],
    shapes: prose,
    parse: (text) => {
      const [before, after] = halves(text);
      return [lineChanges(before, after), countChangedLines(before, after)];
    },
  },
  {
    names: ['diffPrompts'],
    shapes: prose,
    parse: (text) => {
      const [before, after] = halves(text);
      return diffPrompts(prompt(before), prompt(after));
    },
  },
  {
    names: ['parseQuery', 'patternOf', 'checkPattern', 'requiredPhrase'],
    shapes: {
      ...prose,
      pattern: again('(a|', '/', '/'),
      classes: again('[a', '/', '/'),
      counts: again('a{1,9}', '/', '/'),
      minus: again('-a '),
      phrases: again('"a b" '),
    },
    parse: (text) => {
      const pattern = patternOf(text);
      return [
        parseQuery(text),
        pattern && requiredPhrase(pattern.source),
        pattern && text.length <= 10_000 && checkPattern(pattern),
      ];
    },
  },
  {
    names: ['tokensOf', 'indexedText'],
    shapes: { ...prose, 'wide characters': again('漢字'), marks: again('\u0301', 'a') },
    parse: (text) => {
      let tokens = 0;
      for (const _ of tokensOf(text)) tokens += 1;
      return [tokens, indexedText(text)];
    },
  },
  {
    names: ['escapeHumanTag', 'escapeHumanTagInJson', 'hasHumanTag'],
    shapes: { ...prose, ...json, 'nearly tags': again('</\u200b \u200b'), tags: again('<real_user>') },
    parse: (text) => [escapeHumanTag(text), escapeHumanTagInJson(text), hasHumanTag(text)],
  },
  {
    names: ['csvText'],
    shapes: { ...prose, formulas: again('='), 'blanks before': again('\u200b \ufeff', '', '=1') },
    parse: csvText,
  },
  { names: ['isId'], shapes: prose, parse: isId },
];
