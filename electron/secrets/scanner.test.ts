import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contexts, planted, letters as r, writings } from '../testing/planted-secrets';
import { SecretScanner } from './scanner';

const own = `own/k3y+"with" ${r(30)}=`;
const esc = String.fromCharCode(27);
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
