import { NameFinder } from '../../dataset/redaction/name-finder';
import { Redactor } from '../../dataset/redaction/redactor';
import { DecodedScanner } from '../../secrets/decoded-scanner';
import { whole } from '../../secrets/plain-text';
import { again, counted, type Parser } from './parser';

const held = [
  'own-secret-with-length-1',
  'another/secret+with=signs',
  `sk-${'x9'.repeat(50)}`,
  'aaaaaaaaaaaaaaab',
];
const names = { users: ['kimberly', 'aaaaaaaa'], hosts: ['gpu-box7'], homes: ['/srv/people/k1'] };

/** What makes each rule and each way of reading do the most work. */
export const secretShapes: Parser['shapes'] = {
  ...Object.fromEntries(
    [
      ...[
        'a',
        ' ',
        '\n',
        'a\n',
        '\\',
        '\\n',
        '\\\\n',
        '=',
        '%',
        '%41',
        '%25',
        '%2525',
        '%E5',
        '0123456789abcdef',
        'QUJD',
      ],
      ...[
        'sk-',
        'sk-a ',
        'sk-ant-',
        'ghp_',
        'eyJ',
        'eyJaaaaaaaa.',
        'SG.a.',
        'aws_secret_',
        'AccountKey=',
        'xoxb-1-',
      ],
      ...[
        'hooks.slack.com/services/',
        'key-aaaa',
        'AA:AA',
        '1234567890:AA',
        '8Q~',
        '-us',
        '.atlasv1.',
        'SKaa',
      ],
      ...[
        'token',
        'token=',
        'token=     ',
        'token=aaaaaaaaaaaaaaaaaaaa;',
        'token=a1)))))))))',
        'password":"a1',
      ],
      ...[
        'authorization: bearer ',
        'basic dXNlcjpw',
        'wandb',
        'wandb abcdef0123',
        'machine a login b password ',
      ],
      ...['://', '://a:', 'x://aaaa:bbbb', '://a:b@', '://aaaaaaaaaaaaaaaaaaaaaaaa'],
      ...[
        '-----BEGIN PRIVATE KEY-----',
        '-----BEGIN PRIVATE KEY-----\nx',
        '-----END ',
        '-----BEGIN PRIVATE KEY-----\nQUJDREVGR0hJSktM\n',
      ],
      ...[
        '\u001b',
        '\u001b[',
        '\u001b]',
        '\u001b[0',
        '\\u001b[',
        'own-secret-',
        'own-secret-with-lengt',
        'own-\n',
        'aaaaaaaaaaaaaaa\n+',
      ],
      ...[
        '/home/',
        '/home/a',
        '/Users/a b ',
        '\\Users\\',
        'a@b:~',
        '@',
        'kimberly',
        'kimberl',
        '<<secret:known:1>>',
        '<<user:',
      ],
    ].map((piece) => [JSON.stringify(piece), again(piece)]),
  ),
  'base64 of text in one line': again(Buffer.from('token=abc12345678; ').toString('base64')),
  'base64 in lines': again(
    `${Buffer.from('a line of text that is folded, with a word or two in it.').toString('base64')}\n`,
  ),
  'base64 in base64': (length) =>
    Buffer.from(Buffer.from('token=abc12345678; '.repeat(length / 40)).toString('base64')).toString('base64'),
  'lines of 80': again(`${'k'.repeat(80)}\n`),
  'lines of a difference': again(`+${'k'.repeat(80)}\n`),
  'different keys': counted((index) => `ghp_${String(index).padStart(36, 'aB3')} `),
  'different names': counted((index) => `/home/user${index}/x `),
  'layers of JSON': (length) => {
    let text = 'x';
    while (text.length * 2 < length) text = JSON.stringify([text, text]);
    return text;
  },
};

/** Everything that looks for secrets and names in what leaves this machine. */
export const secretParsers: readonly Parser[] = [
  {
    names: ['DecodedScanner', 'NameFinder', 'Redactor'],
    shapes: secretShapes,
    parse: (text) => {
      new DecodedScanner(held).find(text);
      new NameFinder(names).find(whole(text));
      new Redactor(
        { level: 'strict', secrets: held, names, allowed: [] },
        ({ kind }) => `<<${kind}:1>>`,
      ).redact(text, 'json');
    },
  },
];
