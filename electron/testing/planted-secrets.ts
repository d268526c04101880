/** As many characters as asked, always the same, in no order. */
export const letters = (length: number, from = 'aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8') =>
  Array.from({ length }, (_, index) => from[(index * 7 + 3) % from.length]).join('');
const r = letters;
/** One key of each kind; put together here, so that no file of the repository holds what looks like a key. */
export const planted: Record<string, string> = {
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
/** How a key may stand in what a program prints. */
export const contexts: Record<string, (secret: string) => string> = {
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
  'at the end of a line': (secret) => `the key is ${secret}\n`,
  'in brackets': (secret) => `(${secret})`,
  'in backticks': (secret) => `\`${secret}\``,
  'in a table': (secret) => `| key | ${secret} |`,
  'in CSV': (secret) => `a,${secret},b`,
  'in XML': (secret) => `<key>${secret}</key>`,
  'in YAML': (secret) => `key: ${secret}`,
  'in TOML': (secret) => `key = "${secret}"`,
  'in Python': (secret) => `KEY = '${secret}'`,
  'in a header': (secret) => `x-api-key: ${secret}`,
  'in a command': (secret) => `curl -H 'X-Key: ${secret}' x`,
  'as an option': (secret) => `run --key=${secret}`,
  'after an emoji': (secret) => `🔑${secret}🔑`,
  'after a prompt': (secret) => `Key: \r\n${secret}\r\n`,
  'in a traceback': (secret) => `ValueError: bad key ${secret}.`,
  'in a dictionary': (secret) => `{'k': '${secret}'}`,
  'in a path': (secret) => `https://x.example/${secret}/a`,
  'after a progress bar': (secret) => `50%\r${secret}`,
  'from environ': (secret) => `HOME=/root\0TOKEN=${secret}\0PATH=/bin`,
};
/** How a key may be written that is found only where the key itself is known. */
export const writings: Record<string, (secret: string) => string> = {
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
