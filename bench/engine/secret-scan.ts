import { SecretScanner } from '../../electron/secrets/scanner';
import { type Bench, figure, median, shorten, size, spread } from '../harness';
import { Material } from './material';

const MB = 1024 * 1024;
/** Of each text; the quickest counts, because only the machine makes one slower. */
const TRIES = 2;
const own = ['own-secret-with-length-1', 'another/secret+with=signs', `sk-${'x9'.repeat(50)}`];

/** What is repeated to make each rule, and each way of reading, do the most work. */
const worst = [
  ...['a', ' ', '\n', '\\n', '=', '0123456789abcdef', 'QUJD'],
  ...[
    'sk-',
    'sk-a ',
    'ghp_',
    'eyJ',
    'eyJaaaaaaaa.',
    'SG.a.',
    'aws_secret_',
    'AccountKey=',
    'hooks.slack.com/services/',
  ],
  ...[
    'token',
    'token=',
    'token=     ',
    'token=aaaaaaaaaaaaaaaaaaaa;',
    'authorization: bearer ',
    'wandb',
    'wandb abcdef0123',
  ],
  ...['://', '://a:', 'x://aaaa:bbbb'],
  ...['-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----\nx', '-----END '],
  ...['\u001b', '\u001b[', '\u001b]', '\u001b[0', '\\u001b[', 'own-secret-', 'own-secret-with-lengt'],
];

/** The scanner of secrets reads what agents, hosts and files made: its time must grow with their length and no faster. */
export const secretScan: Bench = {
  name: 'secret-scan',
  about: 'secrets in hostile texts of 1 and 4 MB, and in 100 kB of ordinary output',
  async run(options) {
    const unit = size(options, MB, MB, MB / 16);
    const scanner = new SecretScanner(() => own);
    let slowest = { growth: 0, detail: '' };
    for (const shape of worst) {
      const [one = 1, four = 0] = [unit, 4 * unit].map((bytes) => {
        const text = shape.repeat(Math.ceil(bytes / shape.length));
        return Math.min(...Array.from({ length: TRIES }, () => msOf(() => scanner.find(text))));
      });
      if (four / one > slowest.growth) {
        const detail = `slowest is ${JSON.stringify(shape)}: ${shorten(one)} ms, then ${shorten(four)} ms`;
        slowest = { growth: four / one, detail };
      }
    }
    const ordinary = new Material(1).log(100_000);
    const times = Array.from({ length: 20 }, () => msOf(() => scanner.find(ordinary)));
    return [
      figure('secret-scan-growth', slowest.growth, '×', { is: '≤', value: 5 }, { detail: slowest.detail }),
      figure(
        'secret-scan-ordinary',
        median(times),
        'ms',
        { is: '≤', value: 10 },
        { detail: `${spread(times)} ms` },
      ),
    ];
  },
};

function msOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
