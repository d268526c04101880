/**
 * What no checkpoint holds, whatever a task says: caches that are made again by whoever needs them. Environments
 * (`.venv`, `node_modules`) and `.git` stay: without them a branch could not go on.
 */
export const alwaysExcluded: readonly string[] = [
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.ipynb_checkpoints',
];

/**
 * One regular expression over relative paths, in the dialect that perl and Python share; '' when nothing is left out. A
 * pattern without a slash fits a name at any depth, one with a slash fits from the workspace's root; `*` and `?` stay
 * inside a name, `**` goes over folders. A folder that fits is left out with everything in it.
 */
export function excludedExpression(patterns: readonly string[]): string {
  const whole = patterns
    .map((pattern) => pattern.trim().replace(/\/+$/, ''))
    .filter((pattern) => pattern.replace(/^\/+/, '') !== '');
  const names = whole.filter((pattern) => !pattern.includes('/')).map(expressionOf);
  const paths = whole
    .filter((pattern) => pattern.includes('/'))
    .map((pattern) => expressionOf(pattern.replace(/^\/+/, '')));
  // Names share one beginning: the programs try it once for every path of the workspace.
  return [...(names.length === 0 ? [] : [`(?:.*/)?(?:${names.join('|')})`]), ...paths].join('|');
}

function expressionOf(pattern: string): string {
  return [...pattern.matchAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g)].map(([part]) => piece(part)).join('');
}

function piece(part: string): string {
  switch (part) {
    case '**/':
      return '(?:.*/)?';
    case '**':
      return '.*';
    case '*':
      return '[^/]*';
    case '?':
      return '[^/]';
    default:
      // Byte by byte: the names on a disk are bytes, and nothing of a pattern may mean something to the programs.
      return [...Buffer.from(part)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  }
}
