import { userInfo } from 'node:os';
import { matchesPatternList } from '../login/known-hosts-pattern';
import type { ConfigBlock, ConfigLine } from './ssh-config';

/** What the conditions of blocks are compared with. */
export interface Facts {
  /** As the person wrote it. */
  alias: string;
  hostName: string;
  user: string;
}

type Verdict = 'yes' | 'no' | 'unknown';

/**
 * `file:line` of the line a resolved value comes from, null when that cannot be told: a default, a condition that only
 * ssh can judge, or a value we read otherwise than ssh does.
 *
 * @param agrees whether the line's arguments give the resolved value
 * @param several settings whose lines add up (IdentityFile) instead of the first one winning
 */
export function originOf(
  lines: readonly ConfigLine[],
  keyword: string,
  facts: Facts,
  agrees: (args: readonly string[]) => boolean,
  several = false,
): string | null {
  let perhaps: string | null = null;
  for (const line of lines) {
    if (line.keyword !== keyword) continue;
    const verdict = verdictOf(line.blocks, facts);
    if (verdict === 'no') continue;
    const fits = agrees(line.args);
    const here = `${line.file}:${line.line}`;
    if (verdict === 'yes') {
      if (fits) return perhaps === null ? here : null; // either of two places: not sure
      if (!several) return null;
    } else if (fits) {
      if (perhaps !== null) return null;
      perhaps = here;
    }
  }
  return perhaps;
}

function verdictOf(blocks: readonly ConfigBlock[], facts: Facts): Verdict {
  let verdict: Verdict = 'yes';
  for (const block of blocks) {
    const one =
      block.kind === 'host'
        ? matchesPatternList(facts.alias, block.args)
          ? 'yes'
          : 'no'
        : matchVerdict(block.args, facts);
    if (one === 'no') return 'no';
    if (one === 'unknown') verdict = 'unknown';
  }
  return verdict;
}

function matchVerdict(args: readonly string[], facts: Facts): Verdict {
  let verdict: Verdict = 'yes';
  for (let at = 0; at < args.length; at += 1) {
    const word = (args[at] ?? '').toLowerCase();
    const negated = word.startsWith('!');
    const criterion = negated ? word.slice(1) : word;
    if (criterion === 'all') continue;
    const subject = subjects[criterion]?.(facts);
    if (subject === undefined) {
      verdict = 'unknown'; // exec, final, canonical, localnetwork, tagged, version …: only ssh knows
      if (!['final', 'canonical'].includes(criterion)) at += 1;
      continue;
    }
    at += 1;
    const patterns = (args[at] ?? '').split(',');
    if (matchesPatternList(subject, patterns) !== negated) continue;
    // Before a line has set the user, ssh compares with the local one.
    const early = criterion === 'user' && matchesPatternList(userInfo().username, patterns) !== negated;
    if (!early) return 'no';
    verdict = 'unknown';
  }
  return verdict;
}

const subjects: Record<string, (facts: Facts) => string> = {
  host: ({ hostName }) => hostName,
  originalhost: ({ alias }) => alias,
  user: ({ user }) => user,
  localuser: () => userInfo().username,
};
