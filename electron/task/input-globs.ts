import picomatch from 'picomatch';

/** Why a glob over the workspace is not taken; null when it is fine. */
export function globProblem(glob: string): string | null {
  if (glob.startsWith('/') || /^[A-Za-z]:/.test(glob)) return 'must be relative to the workspace';
  if (glob.includes('\\')) return 'must use / between folders and no backslash';
  if (glob.startsWith('!')) return 'must not start with "!"';
  if (glob.split('/').includes('..')) return 'must not climb out of the workspace with ".."';
  if (unbalanced(glob)) return 'has a bracket or brace that is not closed';
  return null;
}

function unbalanced(glob: string): boolean {
  for (const [open, close] of ['[]', '{}', '()']) {
    if (open === undefined || close === undefined) continue;
    if (glob.split(open).length !== glob.split(close).length) return true;
  }
  return false;
}

/** Tells whether a workspace path (relative, `/`) is an input. A name without wildcard also stands for what is below it. */
export function inputMatcher(globs: readonly string[]): (path: string) => boolean {
  const wide = globs.flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`]);
  return picomatch(wide, { dot: true, strictBrackets: true });
}
