import type { SecretKind } from '@shared/log/run-change-events';

export interface Format {
  kind: SecretKind;
  /** What the report calls it. */
  rule: string;
  /** What it begins with, in any case: at least three characters each, which one pass over the text looks for. */
  begins: readonly string[];
  /** `begins` stands so many characters behind its beginning; several: one of them. Absent: it is the beginning. */
  behind?: readonly number[];
  /**
   * The whole, from its beginning on; group 1, where there is one, is the secret alone. What it may take before it fails is
   * bounded, or no second place can begin inside (`OUTSIDE`), so that looking stays linear in the text.
   */
  pattern: RegExp;
  /** Whether what was found is one. Absent: it is. */
  accepts?: ((secret: string, before: string) => boolean) | undefined;
  /** Words that are often harmless: taken out of logs, but nobody is told of a secret because of it. */
  doubtful?: true;
}

/**
 * Not in the middle of a word: so a run of word characters is looked at once, however often a beginning occurs in it. After a
 * line's `-` in a difference, and after what JSON and addresses escape, a word begins as well.
 */
const OUTSIDE = '(?:(?<=%[0-9A-Fa-f]{2}|\\\\[nrt])|(?<![A-Za-z0-9_]|[A-Za-z0-9_-]-))';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `begins`: words with a blank between them. */
const word = (
  kind: SecretKind,
  rule: string,
  begins: string,
  rest: string,
  accepts?: Format['accepts'],
): Format => {
  const words = begins.split(' ');
  const pattern = new RegExp(`${OUTSIDE}(?:${words.map(escaped).join('|')})${rest}`, 'y');
  return { kind, rule, begins: words, pattern, accepts };
};
const token = (rule: string, begins: string, rest: string, accepts?: Format['accepts']): Format =>
  word('service_token', rule, begins, rest, accepts);

/** One that is known by what stands in its middle. */
const around = (
  kind: SecretKind,
  rule: string,
  { begins, behind, pattern }: { begins: string; behind: readonly number[]; pattern: string },
): Format => ({ kind, rule, begins: [begins], behind, pattern: new RegExp(`${OUTSIDE}${pattern}`, 'y') });

const mixed = (text: string) => /\d/u.test(text) && /[A-Za-z]/u.test(text);
/** No words in a row: those are in one case. */
const varied = (text: string) => mixed(text) || /[A-Z].*[A-Z]/u.test(text);
/** `sk-loading-spinner-2` is no key; a key has a long piece without a hyphen. */
const keyLike = (text: string) => mixed(text) && /[A-Za-z0-9_]{16}/u.test(text) && noExample(text);
/** The manuals' own. */
const noExample = (text: string) => !/EXAMPLE|x{8}|X{8}/u.test(text);
const placeholder =
  /^(?:[*.x<>[\]{}$%-]+|\$.*|<.*|\{.*|%.*|.*(?:example|placeholder|redacted|changeme|change_me|your[_-]|my[_-]|dummy|xxxx|\.\.\.).*|pass(?:word|wd)?\d*|.*…|secret\d*|token\d*|user|none|null|undefined|true|false)$/iu;
/** What people write where a password belongs: letters and digits or signs, and no piece of a program. */
const passwordLike = (text: string, before: string) =>
  mixed(text) &&
  !placeholder.test(text) &&
  !/[()[\]{}*]|^[\d.,]+[a-z]?$|::|->|=>|\w\.[A-Za-z_]|^[/~]|\/\/|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[a-z]+:[a-z]/u.test(
    text,
  ) &&
  (isLiteral(before) || !isName(text));
/** A value in quotes, or one that a shell or a file of settings gives a variable. */
const isLiteral = (before: string) => /["']$|^[A-Z_-]+=$/u.test(before);
/** `Uint8Array`, `token_type2`: words with a number among them. What nobody can say is a password. */
const isName = (text: string) => {
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+/gu) ?? [];
  const numbers = text.match(/\d+/gu) ?? [];
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  return /^[A-Za-z_][\w.:!?-]*$/u.test(text) && numbers.length < 2 && letters >= 4 * words.length;
};

const hexDigits = [...'0123456789abcdef'];
/** The first three letters that base64 makes of an id, whose characters are digits. */
const idBegins = [...'MNO'].flatMap((first) =>
  [...'DTjz'].flatMap((second) => [...'AEIMQUYcgk'].map((third) => first + second + third)),
);

/** In order: of two that begin at one place the first that fits counts. */
export const formats: readonly Format[] = [
  word('model_key', 'anthropic', 'sk-ant-', '[A-Za-z0-9_-]{20,}', keyLike),
  word('model_key', 'openrouter', 'sk-or-', '[A-Za-z0-9_-]{20,}', keyLike),
  word('model_key', 'openai', 'sk-', '[A-Za-z0-9_-]{20,}', keyLike),
  word(
    'model_key',
    'model-service',
    'gsk_ xai- nvapi- pplx- csk- jina_ tvly- lsv2_pt_ lsv2_sk_ wandb_v1_ pcsk_ rpa_ esecret_',
    '[A-Za-z0-9_-]{24,}',
    (text) => varied(text) && noExample(text),
  ),
  word('model_key', 'model-service', 'r8_ fw_', '[A-Za-z0-9_-]{24,}', keyLike),
  word('cloud_key', 'aws-key-id', 'AKIA ASIA ABIA ACCA', '[0-9A-Z]{16}(?![A-Za-z0-9_])', noExample),
  {
    kind: 'cloud_key',
    rule: 'aws-secret',
    begins: ['aws_secret', 'awssecret', 'aws-secret', 'secretaccesskey'],
    pattern:
      /(?:aws[_-]?secret[a-z_-]{0,16}|secretaccesskey)\\?["']?[\s:=>]{1,8}\\?["']?([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/iy,
    accepts: noExample,
  },
  word('cloud_key', 'google-api', 'AIza', '[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])', noExample),
  word('cloud_key', 'google-oauth', 'ya29. GOCSPX-', '[A-Za-z0-9_-]{20,}'),
  word('cloud_key', 'cloud', 'dop_v1_ doo_v1_ dor_v1_ LTAI AKID', '[A-Za-z0-9]{16,}', mixed),
  {
    kind: 'cloud_key',
    rule: 'azure-storage',
    begins: ['AccountKey=', 'SharedAccessKey='],
    pattern: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})/y,
  },
  around('cloud_key', 'azure-client', {
    begins: '8Q~',
    behind: [3],
    pattern: '[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}',
  }),
  token(
    'github',
    'ghp_ gho_ ghu_ ghs_ ghr_',
    '(?:[A-Za-z0-9]{36,}|\\d{1,12}_eyJ[A-Za-z0-9_.-]{40,})',
    noExample,
  ),
  token('github-fine-grained', 'github_pat_', '[A-Za-z0-9_]{22,}', noExample),
  token(
    'gitlab',
    'glpat- glptt- gldt- glrt- glcbt- glft- glsoat- gloas- glagent- glimt- glffct- GR1348941',
    '[A-Za-z0-9_-]{20,}(?:\\.[A-Za-z0-9]{2}\\.[A-Za-z0-9]{7,})?',
    noExample,
  ),
  token('huggingface', 'hf_ api_org_', '[A-Za-z0-9]{30,}', noExample),
  token(
    'stripe',
    'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_',
    '[A-Za-z0-9]{10,}',
    (text) => (mixed(text) || text.length >= 32) && noExample(text),
  ),
  token(
    'slack',
    'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb- xapp-',
    '[A-Za-z0-9%-]{10,}',
    (text) => mixed(text) && noExample(text),
  ),
  token('npm', 'npm_', '[A-Za-z0-9]{36,}', noExample),
  token('pypi', 'pypi-', '[A-Za-z0-9_-]{50,}'),
  token('sendgrid', 'SG.', '[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{32,}'),
  token('databricks', 'dapi', '[0-9a-fA-F]{32}(?:-\\d)?(?![A-Za-z0-9])'),
  token('atlassian', 'ATATT3 ATCTT3 ATBB', '[A-Za-z0-9_-]{20,}(?:=[A-F0-9]{8})?', mixed),
  token('sentry', 'sntrys_ sntryu_ sntrya_', '[A-Za-z0-9_+/=-]{20,}', mixed),
  token(
    'service',
    'lin_api_ lin_oauth_ dckr_pat_ dckr_oat_ hvs. hvb. hvr. shpat_ shpca_ shppa_ shpss_ vcp_ vci_ vca_ vcr_ vck_ cfut_ cfk_ cfat_ cfdt_ ntn_ glsa_ tskey- figd_ figo_ rubygems_ sqp_ squ_ sqa_ sbp_ pscale_tkn_ pscale_oauth_ pscale_pw_ NRAK- NRJS- NRII- PMAK- CCIPAT_ bkua_ CLOJARS_ rdme_ phc_ phx_ dt0c01. HRKU- fo1_ fm2_ key_live_ tfp_ sgp_ dp.pt. dp.st. dp.ct. AKCp aio_ EZAK EZTK shippo_live_ shippo_test_ duffel_live_ duffel_test_ rzp_live_ sl. keyv1_ doo_ nfp_ nfc_ fio-u- sq0atp- sq0csp- sq0idp- sqOatp- ops_eyJ glc_eyJ',
    '[A-Za-z0-9_=-]{20,}(?:[.][A-Za-z0-9_=-]{16,})?',
    (text) => varied(text) && noExample(text),
  ),
  token('service', 'secret_ key- pul-', '[A-Za-z0-9]{32,}(?![A-Za-z0-9_-])', keyLike),
  token('square', 'EAAA', '[A-Za-z0-9_-]{60}(?![A-Za-z0-9_+/=-])', keyLike),
  around('service_token', 'terraform', {
    begins: '.atlasv1.',
    behind: [14],
    pattern: '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}',
  }),
  around('service_token', 'telegram', {
    begins: ':AA',
    behind: [10, 9, 8],
    pattern: '\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])',
  }),
  around('service_token', 'mailchimp', {
    begins: '-us',
    behind: [32],
    pattern: '[0-9a-f]{32}-us\\d{1,2}(?![0-9A-Za-z])',
  }),
  token('discord', idBegins.join(' '), '[A-Za-z0-9_-]{20,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}'),
  token('twilio', hexDigits.map((digit) => `SK${digit}`).join(' '), '[0-9a-f]{31}(?![0-9A-Za-z])', mixed),
  {
    kind: 'service_token',
    rule: 'slack-webhook',
    begins: ['hooks.slack.com'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_-]{30,})/y,
  },
  {
    kind: 'service_token',
    rule: 'discord-webhook',
    begins: ['discord.com/api/webhooks', 'discordapp.com/api/webhooks'],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(\d{16,20}\/[A-Za-z0-9_-]{40,})/y,
  },
  {
    kind: 'service_token',
    rule: 'wandb',
    begins: ['wandb'],
    pattern: /wandb[^\n]{0,80}?(?<![0-9a-f])([0-9a-f]{40})(?![0-9a-f])/iy,
    accepts: (_, before) => !/commit|sha|revision|git|hash|digest/iu.test(before),
  },
  word('private_key', 'age', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  {
    kind: 'private_key',
    rule: 'wireguard',
    begins: ['PrivateKey', 'PresharedKey'],
    pattern: /(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4}([A-Za-z0-9+/]{43}=)/y,
  },
  word('login_token', 'jwt', 'eyJ', '[A-Za-z0-9_-]{6,8192}\\.[A-Za-z0-9_-]{6,16384}\\.[A-Za-z0-9_-]{6,}'),
  {
    kind: 'login_token',
    rule: 'authorization',
    begins: ['authorization'],
    pattern:
      /authorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?(?:bearer|basic|token)\s{1,4}([A-Za-z0-9+/=._~-]{16,})/iy,
    accepts: (secret) => mixed(secret) && !placeholder.test(secret),
  },
  {
    kind: 'login_token',
    rule: 'basic',
    begins: ['basic '],
    pattern: /basic\s{1,4}([A-Za-z0-9+/]{12,}={0,2})(?![A-Za-z0-9+/=])/iy,
    accepts: (secret) =>
      /^[\x20-\x7e]*:[\x20-\x7e]*$/u.test(Buffer.from(secret, 'base64').toString('latin1')),
  },
  {
    kind: 'password',
    rule: 'netrc',
    begins: ['machine '],
    pattern:
      /machine\s{1,8}[^\s]{1,256}\s{1,8}login\s{1,8}[^\s]{1,256}\s{1,8}password\s{1,8}([^\s<>"]{4,256})/y,
    accepts: (secret) => !placeholder.test(secret),
  },
  {
    kind: 'password',
    rule: 'address-token',
    begins: ['://'],
    doubtful: true,
    pattern: /:\/\/([A-Za-z0-9_-]{20,256})(?::x-oauth-basic)?@/y,
    accepts: mixed,
  },
  {
    kind: 'password',
    rule: 'address',
    begins: ['://'],
    doubtful: true,
    pattern: /:\/\/[^\s:/@"'<>\\]{0,256}:([^\s/@"'<>\\]{3,256})@(?!(?:[\w-]{1,63}\.){0,8}example\.)/y,
    accepts: (secret) => !placeholder.test(secret),
  },
  {
    kind: 'password',
    rule: 'address',
    begins: ['://'],
    doubtful: true,
    pattern: /:\/\/[^\s:/@"'<>\\]{0,256}:([^\s/@"'<>\\]{8,256})@/y,
    accepts: (secret) => mixed(secret) && !placeholder.test(secret),
  },
  {
    kind: 'password',
    rule: 'assignment',
    begins: ['pass', 'secret', 'token', 'api_key', 'apikey', 'api-key'],
    doubtful: true,
    pattern:
      /(?<!<<)(?:pass(?:word|wd|phrase)?|secret(?:[_-]?key)?|token|api[_-]?key)\\?["']?\s{0,4}(?::?=|:)\s{0,4}\\?["']?([^\s\u0000-\u001f"'`,;<>\\&]{8,256}?)(?=[)\]}*.:!?|。，；）]{0,8}(?:[\s\u0000-\u001f"'`,;<>\\&]|$))/iy,
    accepts: passwordLike,
  },
];
