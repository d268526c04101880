import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretScanner } from './scanner';

const r = (length: number, from = 'aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8') =>
  Array.from({ length }, (_, index) => from[(index * 7 + 3) % from.length]).join('');
/** Put together here, so that no file of the repository holds what looks like a key. */
const planted: Record<string, string> = {
  openai: `sk-${r(48)}`,
  'openai project': `sk-proj-${r(60)}_${r(60)}`,
  anthropic: `sk-ant-api03-${r(80)}-AA`,
  openrouter: `sk-or-v1-${r(64, '0123456789abcdef')}`,
  groq: `gsk_${r(52)}`,
  xai: `xai-${r(80)}`,
  nvidia: `nvapi-${r(64)}`,
  aws: `AKIA${r(16, 'ABCDEFGHIJKLMNOP234567')}`,
  google: `AIza${r(35)}`,
  'google oauth': `ya29.${r(60)}`,
  digitalocean: `dop_v1_${r(64, '0123456789abcdef')}`,
  github: `ghp_${r(36)}`,
  'github fine': `github_pat_${r(82)}`,
  gitlab: `glpat-${r(20)}`,
  huggingface: `hf_${r(34)}`,
  stripe: `sk_live_${r(24)}`,
  slack: `xoxb-123456789012-123456789012-${r(24)}`,
  npm: `npm_${r(36)}`,
  pypi: `pypi-${r(120)}`,
  sendgrid: `SG.${r(22)}.${r(43)}`,
  databricks: `dapi${r(32, '0123456789abcdef')}`,
  docker: `dckr_pat_${r(27)}`,
  age: `AGE-SECRET-KEY-1${r(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`,
  jwt: `eyJ${r(30)}.eyJ${r(60)}.${r(43)}`,
  pem: [
    '-----BEGIN RSA ',
    'PRIVATE KEY-----\n',
    `${r(64)}\n`.repeat(6),
    '-----END RSA ',
    'PRIVATE KEY-----',
  ].join(''),
};
const esc = String.fromCharCode(27);
const middle = (secret: string, piece: string) => `${secret.slice(0, 9)}${piece}${secret.slice(9)}`;
const contexts: Record<string, (secret: string) => string> = {
  alone: (secret) => secret,
  'in a line': (secret) => `export KEY=${secret} # mine`,
  quoted: (secret) => `{"key": "${secret}"}`,
  'in JSON': (secret) => JSON.stringify({ text: `first\n${secret}\nlast` }),
  'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify([secret])),
  'an added line': (secret) => `@@ -1 +1 @@\n+${secret}\n`,
  'a removed line': (secret) => `@@ -1 +1 @@\n-${secret}\n`,
  'in an address': (secret) => `https://x.example/?a=1&k=${encodeURIComponent(secret)}&b=2`,
  'in an address in an address': (secret) => `https://x.example/?to=%2Fa%3Fk%3D${encodeURIComponent(secret)}`,
  coloured: (secret) => `${esc}[1;31m${secret}${esc}[0m`,
  'with colour in the middle': (secret) => middle(secret, `${esc}[01;31m${esc}[K`),
  'with colour in the middle, in JSON': (secret) => JSON.stringify([middle(secret, `${esc}[0m`)]),
  'in a title': (secret) => `${esc}]0;${secret}${String.fromCharCode(7)}`,
  'from environ': (secret) => `HOME=/root\0TOKEN=${secret}\0PATH=/bin`,
};
/** Only where the secret itself is known. */
const writings: Record<string, (secret: string) => string> = {
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 of a line': (secret) => Buffer.from(`a=${secret}\nb=1`).toString('base64'),
  'base64 of another line': (secret) => Buffer.from(`ab=${secret};`).toString('base64'),
  'base64 for addresses': (secret) => Buffer.from(`abc=${secret};`).toString('base64url'),
  'base64 in lines': (secret) =>
    Buffer.from(`${'x'.repeat(50)}${secret}`)
      .toString('base64')
      .replace(/.{60}/g, '$&\n'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  folded: (secret) => secret.replace(/.{11}/g, '$&\r\n'),
  'folded, in JSON': (secret) => JSON.stringify(secret.replace(/.{11}/g, '$&\n')),
};

const own = `own/k3y+"with" ${r(30)}=`;
const pieces = (secret: string) => [secret.slice(0, 9), secret.slice(-9)];

describe('secrets in a text', () => {
  it.each(Object.keys(contexts))('of known formats are found %s, all of them', (name) => {
    const missed = Object.entries(planted).filter(([kind, secret]) => {
      // An address holds no block of lines.
      if (kind === 'pem' && /address|middle/.test(name)) return false;
      const text = contexts[name]?.(secret) ?? '';
      const hits = new SecretScanner().find(text);
      const redacted = new SecretScanner().redact(text);
      return (
        hits.length !== 1 ||
        hits[0]?.certain !== true ||
        pieces(secret).some((piece) => redacted.includes(piece))
      );
    });
    expect(missed.map(([kind]) => kind)).toEqual([]);
  });

  it.each(
    Object.entries({ ...contexts, ...writings }),
  )('that the application holds are found %s', (_name, write) => {
    for (const secret of [own, ...Object.values(planted).filter((each) => !each.includes('\n'))]) {
      const scanner = new SecretScanner(() => [secret]);
      const text = write(secret);
      const [hit, ...more] = scanner.find(text);
      expect(hit).toMatchObject({ kind: 'known', certain: true });
      expect(more).toEqual([]);
      expect(scanner.redact(text)).toContain('<<secret:known:1>>');
      expect(scanner.redact(text).length).toBeLessThan(text.length - secret.length / 2 + 20);
    }
  });

  it('keep their number, whatever they are written in', () => {
    const scanner = new SecretScanner(() => ['first-secret-1', 'second-secret-2']);
    expect(scanner.redact(`second-secret-2 ${planted.github} first-secret-1`)).toBe(
      '<<secret:known:1>> <<secret:service_token:1>> <<secret:known:2>>',
    );
    const again = `${Buffer.from('first-secret-1').toString('hex')} ${planted.gitlab} ${planted.github}`;
    expect(scanner.redact(again)).toBe(
      '<<secret:known:2>> <<secret:service_token:2>> <<secret:service_token:1>>',
    );
    const once = scanner.redact(`password=${r(12)} ${planted.jwt}`);
    expect(scanner.redact(once)).toBe(once);
  });

  it('a key whose end was cut off is still one', () => {
    const cut = planted.pem?.slice(0, 200) ?? '';
    expect(new SecretScanner().redact(`cat id_rsa\n${cut}\n[more]`)).toBe(
      'cat id_rsa\n<<secret:private_key:1>>\n[more]',
    );
  });

  it.each([
    ['max_tokens=8192 tokens: 123456789', 0],
    ['token = tokenizer.encode(x)', 0],
    ['password: ********', 0],
    ['api_key=os.environ["OPENAI_API_KEY"]', 0],
    ['postgres://user:password@localhost/db', 0],
    ['class="sk-loading-spinner-container-2"', 0],
    [`wandb: resuming commit ${r(40, '0123456789abcdef')}`, 0],
    [`wandb: api key ${r(40, '0123456789abcdef')}`, 1],
    ['AKIAIOSFODNN7EXAMPLE', 0],
    ['postgres://me:x9Kd77aPq@db/x', 1],
    ['DB_PASSWORD="x9Kd77aPq-1"', 1],
    ['"Authorization": "Bearer 0a1b2c3d4e5f6a7b8c9d"', 1],
  ])('%s: %i', (text, count) => {
    expect(new SecretScanner().find(text)).toHaveLength(count);
  });

  it('are not seen in clean texts: at most one sure find in 100 kB', () => {
    const texts = ['docs', 'electron', 'shared', 'resources'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(ts|md|jsonl|json|py|sh|yaml)$/.test(path))
        .map((path) => join(folder, path))
        // Tests plant secrets.
        .filter((path) => !/secrets\/|\.test\.ts$|testing\//.test(path))
        .map((path) => [path, readFileSync(path, 'utf8')] as const),
    );
    const scanner = new SecretScanner(() => ['EMPTY', 'not-needed-here']);
    const finds = texts.flatMap(([path, text]) =>
      scanner.find(text).map((hit) => ({ path, hit, text: text.slice(hit.start, hit.end) })),
    );
    const sure = finds.filter(({ hit }) => hit.certain);
    const bytes = texts.reduce((sum, [, text]) => sum + text.length, 0);
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(sure.length, JSON.stringify(sure.slice(0, 20))).toBeLessThanOrEqual(bytes / 1_000_000);
    const doubtful = finds.filter(({ hit }) => !hit.certain && hit.kind !== 'known');
    expect(doubtful.length, JSON.stringify(doubtful.slice(0, 20))).toBeLessThanOrEqual(bytes / 100_000);
  });

  it('whatever the text is: finds are in order, apart, inside, and redaction leaves the rest alone', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...Object.values(planted),
        own,
        esc,
        `${esc}[`,
        `${esc}]`,
        '-----BEGIN ',
        '\\n',
        '<<secret:',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const scanner = new SecretScanner(() => [own]);
        let rest = '';
        let from = 0;
        for (const { start, end } of scanner.find(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          rest += text.slice(from, start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
        rest += text.slice(from);
        expect(scanner.redact(text).replace(/<<secret:[a-z_]+:\d+>>/g, '')).toBe(
          rest.replace(/<<secret:[a-z_]+:\d+>>/g, ''),
        );
      }),
    );
  });
});
