/**
 * Whether a name fits a list of patterns with `*`, `?` and `!` as OpenSSH reads them: a negated pattern that fits
 * decides against the whole list. Compared without regard to case.
 */
export function matchesPatternList(name: string, patterns: readonly string[]): boolean {
  const subject = name.toLowerCase();
  let found = false;
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!');
    if (!fits(subject, (negated ? pattern.slice(1) : pattern).toLowerCase())) continue;
    if (negated) return false;
    found = true;
  }
  return found;
}

/** Iterative, so that a pattern of many stars costs at most name × pattern steps. */
function fits(name: string, pattern: string): boolean {
  let at = 0;
  let place = 0;
  let starPlace = -1;
  let starAt = 0;
  while (at < name.length) {
    const sign = pattern[place];
    if (sign === '*') {
      starPlace = place;
      starAt = at;
      place += 1;
    } else if (sign !== undefined && (sign === '?' || sign === name[at])) {
      at += 1;
      place += 1;
    } else if (starPlace >= 0) {
      starAt += 1;
      at = starAt;
      place = starPlace + 1;
    } else {
      return false;
    }
  }
  while (pattern[place] === '*') place += 1;
  return place === pattern.length;
}
