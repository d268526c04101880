import { MarkerScanner } from '@shared/terminal/command-markers';
import { hostileCorpus } from '@shared/terminal/hostile-corpus';
import { ModelLines, modelText } from '@shared/terminal/model-text';
import { checkPaste, pastedText } from '@shared/terminal/paste';
import { TerminalFilter } from '@shared/terminal/terminal-filter';
import { visibleText } from '@shared/terminal/visible-text';
import { ansiLines, hasAnsi } from '../../../renderer/features/rendering/ansi-lines';
import { again, bytesOf, counted, type Parser } from './parser';

const shapes: Parser['shapes'] = {
  erasures: again(`${'x'.repeat(40)}\u001b[1K`),
  columns: again('\u001b[9999Cx'),
  'columns back and forth': again('\u001b[500Gx\u001b[1Gy'),
  'carriage returns': again('xxxx\r'),
  backspaces: again('xx\b'),
  'cursor up': again('a\n\u001b[1A'),
  'lines far up': again('a\n\n\n\n\u001b[4A'),
  colours: counted((index) => `\u001b[38;5;${index % 256}mx`),
  parameters: again(';1', '\u001b[', 'm'),
  'an open string': again('x', '\u001b]0;'),
  'open strings': again('\u001b]8;;http://a'),
  links: counted((index) => `\u001b]8;;http://a/${index}\u0007x`),
  'insertions and deletions': again('\u001b[9999L\u001b[9999M'),
  repetitions: again('x\u001b[9999b'),
  'combining marks': again('\u0301', 'a'),
  'wide characters': again('漢'),
  escapes: again('\u001b'),
  corpus: again(hostileCorpus.map(([, input]) => input).join('')),
};

/** Everything that goes through what a program printed. */
export const screenParsers: readonly Parser[] = [
  { names: ['ansiLines', 'hasAnsi'], shapes, parse: (text) => [hasAnsi(text), ansiLines(text)] },
  {
    names: ['TerminalFilter', 'EscapeParser', 'Utf8Stream'],
    shapes,
    parse: (text) => {
      const filter = new TerminalFilter();
      const bytes = bytesOf(text);
      let length = 0;
      // As sessions send it.
      for (let at = 0; at < bytes.length; at += 16_384)
        length += filter.push(bytes.subarray(at, at + 16_384)).length;
      return length;
    },
  },
  {
    names: ['ModelText', 'ModelLines', 'modelText'],
    shapes,
    parse: (text) => {
      const lines = new ModelLines();
      return [modelText(bytesOf(text)), lines.push(bytesOf(text))];
    },
  },
  {
    names: ['MarkerScanner'],
    shapes: {
      ...shapes,
      'open markers': again('\u001b]7717;nonce;'),
      markers: counted((index) => `\u001b]7717;nonce;D;${index};0\u0007`),
      'markers of another': counted((index) => `\u001b]7717;other;D;${index};0\u0007`),
    },
    parse: (text) => {
      const scanner = new MarkerScanner('nonce');
      const bytes = bytesOf(text);
      for (let at = 0; at < bytes.length; at += 512) scanner.push(bytes.subarray(at, at + 512));
    },
  },
  {
    names: ['visibleText', 'checkPaste', 'pastedText'],
    shapes,
    parse: (text) => [visibleText(text), checkPaste(text), pastedText(text)],
  },
];
