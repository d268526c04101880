import type { SecretKind } from '@shared/log/run-change-events';

export interface Format {
  kind: SecretKind;
  /** How it begins: part of one expression that finds all places worth a look, in one pass and without regard to case. */
  begins: string;
  /**
   * The whole, from that place on; group 1, where there is one, is the secret alone. What it may take before it fails is bounded,
   * or no second place can begin inside (`OUTSIDE`), so that looking stays linear in the text.
   */
  pattern: RegExp;
  /** Whether what was found is one. Absent: it is. */
  accepts?: (secret: string, before: string) => boolean;
  /** Words that are often harmless: taken out of logs, but nobody is told of a secret because of it. */
  doubtful?: true;
}

/**
 * Not in the middle of a word: so a run of word characters is looked at once, however often a beginning occurs in it. After a
 * line's `-` in a difference, and after what JSON and addresses escape, a word begins as well.
 */
const OUTSIDE = '(?:(?<=%[0-9A-Fa-f]{2}|\\\\[nrt])|(?<![A-Za-z0-9_]|[A-Za-z0-9_-]-))';

const word = (kind: SecretKind, begins: string, rest: string, accepts?: Format['accepts']): Format => ({
  ...{ kind, begins, pattern: new RegExp(`${OUTSIDE}(?:${begins})${rest}`, 'y') },
  ...(accepts === undefined ? {} : { accepts }),
});

const mixed = (text: string) => /\d/u.test(text) && /[A-Za-z]/u.test(text);
/** `sk-loading-spinner-2` is no key; a key has a long piece without a hyphen. */
const keyLike = (text: string) => mixed(text) && /[A-Za-z0-9_]{16}/u.test(text);
/** The manual's own. */
const noExample = (text: string) => !text.includes('EXAMPLE');
const placeholder =
  /^(?:[*.x<>[\]{}$%-]+|\$.*|<.*|\{.*|%.*|.*(?:example|placeholder|redacted|changeme|your[_-]).*|pass(?:word)?|secret|token|user|none|null|undefined|true|false)$/iu;
/** What people write where a password belongs: letters and digits or signs, and no piece of a program. */
const passwordLike = (text: string) =>
  /\d/u.test(text) &&
  /[A-Za-z]/u.test(text) &&
  !placeholder.test(text) &&
  !/[()[\]{}]|^[\d.,]+[a-z]?$|::|->|=>/iu.test(text);

/** Where any of these may begin. */
export function beginnings(of: readonly Format[]): RegExp {
  return new RegExp(of.map(({ begins }) => `(?:${begins})`).join('|'), 'gi');
}

/** In order: of two that begin at one place the first that fits counts. */
export const formats: readonly Format[] = [
  word('model_key', 'sk-', '[A-Za-z0-9_-]{20,}', keyLike),
  word('model_key', 'gsk_|xai-|nvapi-|pplx-|r8_|fw_', '[A-Za-z0-9_-]{24,}', keyLike),
  word('cloud_key', 'AKIA|ASIA|ABIA|ACCA', '[0-9A-Z]{16}(?![A-Za-z0-9_])', noExample),
  {
    ...{ kind: 'cloud_key', begins: 'aws_?secret', accepts: noExample },
    pattern: /aws_?secret[a-z_]{0,16}["'\s:=]{1,8}([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/iy,
  },
  word('cloud_key', 'AIza', '[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'),
  word('cloud_key', 'ya29\\.|GOCSPX-', '[A-Za-z0-9_-]{20,}'),
  word('cloud_key', 'dop_v1_|doo_v1_|LTAI|AKID', '[A-Za-z0-9]{16,}', mixed),
  { kind: 'cloud_key', begins: 'AccountKey=', pattern: /AccountKey=([A-Za-z0-9+/]{40,}={0,2})/y },
  word('service_token', 'gh[pousr]_', '[A-Za-z0-9]{36,}'),
  word('service_token', 'github_pat_', '[A-Za-z0-9_]{22,}'),
  word('service_token', 'gl(?:pat|ptt|dt|rt|cbt|ft|soat)-', '[A-Za-z0-9_-]{20,}'),
  word('service_token', 'hf_|api_org_', '[A-Za-z0-9]{30,}'),
  word('service_token', '(?:sk|rk)_(?:live|test)_|whsec_', '[A-Za-z0-9]{10,}'),
  word('service_token', 'xox[abeoprs]-|xapp-', '[A-Za-z0-9-]{10,}', mixed),
  word('service_token', 'npm_', '[A-Za-z0-9]{36,}'),
  word('service_token', 'pypi-', '[A-Za-z0-9_-]{50,}'),
  word('service_token', 'SG\\.', '[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{32,}'),
  word('service_token', 'dapi', '[0-9a-f]{32}(?![A-Za-z0-9])'),
  word('service_token', 'lin_api_|dckr_pat_|ATATT3x|hvs\\.|shp(?:at|ca|pa|ss)_', '[A-Za-z0-9_-]{20,}', mixed),
  {
    kind: 'service_token',
    begins: 'hooks\\.slack\\.com',
    pattern: /hooks\.slack\.com\/services\/([A-Za-z0-9/]{30,})/y,
  },
  {
    ...{ kind: 'service_token', begins: 'wandb' },
    pattern: /wandb[^\n]{0,80}?(?<![0-9a-f])([0-9a-f]{40})(?![0-9a-f])/iy,
    accepts: (_, before) => !/commit|sha|revision|git|hash|digest/iu.test(before),
  },
  word('private_key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  word('login_token', 'eyJ', '[A-Za-z0-9_-]{6,8192}\\.[A-Za-z0-9_-]{6,16384}\\.[A-Za-z0-9_-]{6,}'),
  {
    ...{ kind: 'login_token', begins: 'authorization' },
    pattern:
      /authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:bearer|basic|token)\s{1,4}([A-Za-z0-9+/=._~-]{16,})/iy,
    accepts: (secret) => mixed(secret) && !placeholder.test(secret),
  },
  {
    ...{ kind: 'password', begins: ':\\/\\/', doubtful: true },
    pattern: /:\/\/[^\s:/@"'<>]{0,256}:([^\s/@"'<>]{3,256})@/y,
    accepts: (secret) => !placeholder.test(secret),
  },
  {
    ...{ kind: 'password', begins: 'pass|secret|token|api_?key', doubtful: true },
    pattern:
      /(?<!<<)(?:pass(?:word|wd|phrase)?|secret|token|api_?key)\\?["']?\s{0,4}[=:]\s{0,4}\\?["']?([^\s\u0000-\u001f"'`,;<>\\&]{8,256})/iy,
    accepts: passwordLike,
  },
];
