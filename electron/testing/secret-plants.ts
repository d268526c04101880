import { generateKeyPairSync } from 'node:crypto';

/**
 * Keys made up after what their services say of them in public: a prefix, an alphabet, a length. Nothing here was read from the
 * patterns of `electron/secrets`; a kind that they miss is a finding about them. The same seed makes the same keys.
 */

/** The next of a sequence of numbers, [0, 1). */
export type Random = () => number;

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const LETTERS = LOWER + LOWER.toUpperCase();
const ALNUM = LETTERS + DIGITS;
const URL_SAFE = `${ALNUM}-_`;
const BASE64 = `${ALNUM}+/`;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const some = (random: Random, length: number, from: string): string =>
  Array.from({ length }, () => from[Math.floor(random() * from.length)]).join('');
const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));
const one = <T>(random: Random, of: readonly [T, ...T[]]): T => of[Math.floor(random() * of.length)] ?? of[0];

export interface Plant {
  /** What nobody may read afterwards. */
  secret: string;
  /** How it stands where it stands: with what its format needs around it. */
  text: string;
}

type Make = (random: Random) => string | Plant;

const about = (before: string, secret: string, after = ''): Plant => ({
  secret,
  text: `${before}${secret}${after}`,
});

const json64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The 25 kinds of the bar, and what held-out sets were seen to hold besides. */
export const plantKinds: Readonly<Record<string, Make>> = {
  'OpenAI project key': (r) => `sk-proj-${some(r, 74, URL_SAFE)}T3BlbkFJ${some(r, 74, URL_SAFE)}`,
  'OpenAI user key': (r) => `sk-${some(r, 20, ALNUM)}T3BlbkFJ${some(r, 20, ALNUM)}`,
  'Anthropic key': (r) => `sk-ant-api03-${some(r, 93, URL_SAFE)}AA`,
  'OpenRouter key': (r) => `sk-or-v1-${some(r, 64, HEX)}`,
  'Groq key': (r) => `gsk_${some(r, 52, ALNUM)}`,
  'AWS access key id': (r) => `${one(r, ['AKIA', 'ASIA'])}${some(r, 16, BASE32)}`,
  'AWS secret key': (r) =>
    about(one(r, ['AWS_SECRET_ACCESS_KEY=', 'aws_secret_access_key = ']), some(r, 40, BASE64)),
  'Google API key': (r) => `AIza${some(r, 35, URL_SAFE)}`,
  'Google client secret': (r) => `GOCSPX-${some(r, 28, URL_SAFE)}`,
  'GitHub token': (r) => `${one(r, ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'])}${some(r, 36, ALNUM)}`,
  'GitHub fine-grained token': (r) => `github_pat_${some(r, 22, ALNUM)}_${some(r, 59, ALNUM)}`,
  'GitLab token': (r) => `glpat-${some(r, 20, URL_SAFE)}`,
  'Hugging Face token': (r) => `hf_${some(r, 34, LETTERS)}`,
  'Stripe key': (r) =>
    `${one(r, ['sk_live_', 'rk_live_', 'sk_test_'])}${some(r, one(r, [24, 32, 99]), ALNUM)}`,
  'Slack token': (r) =>
    `${one(r, ['xoxb', 'xoxp'])}-${some(r, between(r, 10, 13), DIGITS)}-${some(r, between(r, 10, 13), DIGITS)}-${some(r, 24, ALNUM)}`,
  'Slack webhook': (r) =>
    about(
      'https://hooks.slack.com/services/',
      `T${some(r, 9, ALNUM.toUpperCase())}/B${some(r, 10, ALNUM.toUpperCase())}/${some(r, 24, ALNUM)}`,
    ),
  'npm token': (r) => `npm_${some(r, 36, ALNUM)}`,
  'PyPI token': (r) => `pypi-AgEIcHlwaS5vcmc${some(r, between(r, 100, 170), URL_SAFE)}`,
  'SendGrid key': (r) => `SG.${some(r, 22, URL_SAFE)}.${some(r, 43, URL_SAFE)}`,
  'JSON web token': (r) =>
    `${json64({ alg: 'HS256', typ: 'JWT' })}.${json64({ sub: some(r, 12, DIGITS), iat: 1_700_000_000 })}.${some(r, 43, URL_SAFE)}`,
  'private key': () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim();
  },
  'password in an address': (r) =>
    about('postgresql://app:', `${some(r, 7, ALNUM)}7x${some(r, 6, ALNUM)}`, '@db.internal:5432/app'),
  'password in a variable': (r) =>
    about(one(r, ['DB_PASSWORD=', 'POSTGRES_PASSWORD=']), `${some(r, 9, ALNUM)}4k${some(r, 5, ALNUM)}`),
  'Weights & Biases key': (r) => about('WANDB_API_KEY=', some(r, 40, HEX)),
  'bearer header': (r) => about('Authorization: Bearer ', `${some(r, 30, ALNUM)}8b${some(r, 8, ALNUM)}`),

  'Azure storage key': (r) =>
    about('AccountName=store;AccountKey=', `${some(r, 86, BASE64)}==`, ';EndpointSuffix=core.windows.net'),
  'Azure client secret': (r) => `${some(r, 3, ALNUM)}8Q~${some(r, 34, `${ALNUM}_~.-`)}`,
  'basic header': (r) =>
    about('Authorization: Basic ', Buffer.from(`user:${some(r, 16, ALNUM)}9`).toString('base64')),
  'netrc entry': (r) => about('machine api.example.com login me password ', `${some(r, 14, ALNUM)}5`),
  'Telegram bot token': (r) => `${some(r, 10, '123456789')}:AA${some(r, 33, URL_SAFE)}`,
  // The first part is the bot's id.
  'Discord bot token': (r) =>
    `${Buffer.from(some(r, 18, '123456789')).toString('base64url')}.${some(r, 6, ALNUM)}.${some(r, 38, URL_SAFE)}`,
  'Twilio API key': (r) => `SK${some(r, 32, HEX)}`,
  'DigitalOcean token': (r) => `dop_v1_${some(r, 64, HEX)}`,
  'Databricks token': (r) => `dapi${some(r, 32, one(r, [HEX, HEX.toUpperCase()]))}${one(r, ['', '-2'])}`,
  'Docker token': (r) => `dckr_pat_${some(r, 27, URL_SAFE)}`,
  'Vault token': (r) => `hvs.${some(r, 92, URL_SAFE)}`,
  'Terraform Cloud token': (r) => `${some(r, 14, ALNUM)}.atlasv1.${some(r, 67, URL_SAFE)}`,
  'xAI key': (r) => `xai-${some(r, 80, ALNUM)}`,
  'NVIDIA key': (r) => `nvapi-${some(r, 64, URL_SAFE)}`,
  'Perplexity key': (r) => `pplx-${some(r, 48, ALNUM)}`,
  'Vercel token': (r) => `${one(r, ['vcp_', 'vci_', 'vca_'])}${some(r, 56, ALNUM)}`,
  'Cloudflare token': (r) => `${one(r, ['cfut_', 'cfk_', 'cfat_'])}${some(r, 48, ALNUM)}`,
  'Shopify token': (r) => `${one(r, ['shpat_', 'shpss_'])}${some(r, 32, one(r, [HEX, HEX.toUpperCase()]))}`,
  '1Password service token': (r) =>
    `ops_${json64({ signInAddress: 'my.1password.com', secretKey: some(r, 200, ALNUM) })}`,
  'Grafana cloud token': (r) => `glc_${json64({ o: some(r, 6, DIGITS), n: 'stack', k: some(r, 24, ALNUM) })}`,
  'Grafana service token': (r) => `glsa_${some(r, 32, ALNUM)}_${some(r, 8, HEX)}`,
  'Tailscale key': (r) =>
    `tskey-${one(r, ['auth', 'api', 'client'])}-${some(r, 12, ALNUM)}CNTRL-${some(r, 32, ALNUM)}`,
  'Linear key': (r) => `lin_api_${some(r, 40, ALNUM)}`,
  'Notion token': (r) => `ntn_${some(r, 11, DIGITS)}${some(r, 35, ALNUM)}`,
  'Sentry token': (r) =>
    `sntrys_${json64({ iat: 1_700_000_000, url: 'https://sentry.io' })}_${some(r, 43, URL_SAFE)}`,
  'New Relic key': (r) => `NRAK-${some(r, 27, ALNUM.toUpperCase())}`,
  'Mailgun key': (r) => `key-${some(r, 32, HEX)}`,
  'Mailchimp key': (r) => `${some(r, 32, HEX)}-us${between(r, 1, 21)}`,
  'Postman key': (r) => `PMAK-${some(r, 24, HEX)}-${some(r, 34, HEX)}`,
  'Pulumi token': (r) => `pul-${some(r, 40, HEX)}`,
  'Replicate token': (r) => `r8_${some(r, 37, ALNUM)}`,
  'LangSmith key': (r) => `lsv2_pt_${some(r, 32, HEX)}_${some(r, 10, HEX)}`,
  'Tavily key': (r) => `tvly-${one(r, ['', 'dev-'])}${some(r, 32, ALNUM)}`,
  'Supabase token': (r) => `sbp_${some(r, 40, HEX)}`,
  'age key': (r) => `AGE-SECRET-KEY-1${some(r, 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`,
  'WireGuard key': (r) =>
    about('PrivateKey = ', `${some(r, 42, BASE64)}${one(r, ['A', 'E', 'I', 'M', 'Q', 'U', 'Y', 'c', 'g'])}=`),
  'Figma token': (r) => `figd_${some(r, 40, URL_SAFE)}`,
  'RubyGems key': (r) => `rubygems_${some(r, 48, HEX)}`,
  'SonarQube token': (r) => `${one(r, ['sqp_', 'squ_', 'sqa_'])}${some(r, 40, HEX)}`,
  'Doppler token': (r) => `dp.pt.${some(r, 43, ALNUM)}`,
  'Square token': (r) => `EAAA${some(r, 60, URL_SAFE)}`,
  'Atlassian token': (r) => `ATATT3xFfGF0${some(r, 171, URL_SAFE)}=${some(r, 8, HEX.toUpperCase())}`,
};

/** The first 25 are the named kinds of the bar. */
export const namedKinds = Object.keys(plantKinds).slice(0, 25);

/** A key of a kind. */
export function plant(kind: string, random: Random): Plant {
  const made = plantKinds[kind]?.(random);
  if (made === undefined) throw new Error(`There is no kind "${kind}".`);
  return typeof made === 'string' ? { secret: made, text: made } : made;
}

const esc = '\u001b';
/** With `piece` somewhere inside the secret. */
const inside = ({ secret, text }: Plant, piece: string, at = Math.floor(secret.length / 2)): string =>
  text.replace(secret, () => `${secret.slice(0, at)}${piece}${secret.slice(at)}`);
const filler = 'loading shard 3 of 12 from the cache, then continuing with the next one in line ';
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const folded = (text: string, width: number, mark = '') =>
  text.replace(new RegExp(`[^\\n]{1,${width}}`, 'gu'), (line) => `${mark}${line}\n`);

export interface PlantContext {
  /** `plain`, `json`, `ansi`: of the bar for known kinds. `coded`: they need not be found there unless the application holds them. */
  group: 'plain' | 'json' | 'ansi' | 'coded';
  write(plant: Plant): string;
}

const group =
  (name: PlantContext['group']) =>
  (write: PlantContext['write']): PlantContext => ({ group: name, write });
const plain = group('plain');
const json = group('json');
const ansi = group('ansi');
const coded = group('coded');

/** Forty ways in which a key stands in what an agent wrote or read. */
export const plantContexts: Readonly<Record<string, PlantContext>> = {
  alone: plain(({ text }) => text),
  'in a line': plain(({ text }) => `the value is ${text} and nothing else`),
  'at the end of a line': plain(({ text }) => `value: ${text}\nnext line`),
  'exported by a shell': plain(({ text }) => `$ export VALUE; echo "${text}"\n`),
  'in single quotes': plain(({ text }) => `x = '${text}'`),
  'in backticks': plain(({ text }) => `use \`${text}\` here`),
  'in brackets': plain(({ text }) => `(${text})`),
  'in a table': plain(({ text }) => `| name | ${text} |`),
  'in CSV': plain(({ text }) => `1,${text},ok`),
  'in YAML': plain(({ text }) => `env:\n  - ${text}\n`),
  'in XML': plain(({ text }) => `<value>${text}</value>`),
  'in Markdown': plain(({ text }) => `- **${text}**\n`),
  'after an emoji': plain(({ text }) => `🔑 ${text} 🔑`),
  'in Chinese': plain(({ text }) => `密钥是：${text}。请保密`),
  'in a traceback': plain(({ text }) => `  File "a.py", line 3, in f\nValueError: ${text}\n`),
  'in a grep hit': plain(({ text }) => `conf/app.env:12:${text}`),
  'between two chunks of output': plain(({ text }) => `${filler}\n${text}\n${filler}`),
  'from /proc/PID/environ': plain(({ text }) => `HOME=/root\0${text}\0PATH=/bin`),
  'an added line': plain(({ text }) => `@@ -1,2 +1,2 @@\n context\n+${text.replaceAll('\n', '\n+')}\n`),
  'a removed line': plain(({ text }) => `@@ -1,2 +1,2 @@\n-${text.replaceAll('\n', '\n-')}\n context\n`),
  'in a numbered listing': plain(({ text }) =>
    text
      .split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join('\n'),
  ),
  'after a carriage return': plain(({ text }) => `50%\r${text}\r\n`),
  'in JSON': json(({ text }) => JSON.stringify({ output: `first\n${text}\nlast` })),
  'in JSON in JSON': json(({ text }) =>
    JSON.stringify({ arguments: JSON.stringify({ content: `${text}\n` }) }),
  ),
  'in JSON three layers deep': json(({ text }) =>
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: text }) }) }),
  ),
  'in tool arguments': json(({ text }) => JSON.stringify({ command: `cat > .env <<'E'\n${text}\nE` })),
  'in JSON with escaped slashes': json(({ text }) => JSON.stringify({ x: text }).replaceAll('/', '\\/')),
  'in a diff in JSON': json(({ text }) =>
    JSON.stringify({ patch: `@@ -0,0 +1 @@\n+${text.replaceAll('\n', '\n+')}` }),
  ),
  coloured: ansi(({ text }) => `${esc}[1;31m${text}${esc}[0m`),
  'with colour in the middle': ansi((plant) => inside(plant, `${esc}[01;31m${esc}[K`)),
  'with colour near its start': ansi((plant) => inside(plant, `${esc}[0m`, 3)),
  'with colour in the middle, in JSON': ansi((plant) => inJson(inside(plant, `${esc}[0m`))),
  'in the title of a window': ansi(({ text }) => `${esc}]0;${text}\u0007$ `),
  'percent-encoded': coded(({ text }) => `https://x.example/?a=1&k=${encodeURIComponent(text)}&b=2`),
  'percent-encoded twice': coded(
    ({ text }) => `/go?to=${encodeURIComponent(`/?k=${encodeURIComponent(text)}`)}`,
  ),
  base64: coded(({ text }) => `data: ${Buffer.from(`${text}\n`).toString('base64')}`),
  'base64 in lines of 76': coded(({ text }) =>
    folded(Buffer.from(`${filler}\n${text}\n${filler}`).toString('base64'), 76),
  ),
  'base64 for addresses, in JSON': coded(({ text }) =>
    JSON.stringify({ state: Buffer.from(`ab ${text} ab`).toString('base64url') }),
  ),
  'wrapped at 80 columns': coded(({ text }) => folded(`${filler.slice(0, 67)} ${text} and on`, 80)),
  'wrapped at 80 columns in a diff': coded(({ text }) =>
    folded(`${filler.slice(0, 67)} ${text} and on`, 80, '+'),
  ),
};
