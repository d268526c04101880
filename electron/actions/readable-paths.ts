/** Which paths a command may name without anybody being asked. Allowed is what is listed, not what is not forbidden. */

export interface PlaceRules {
  /** Absolute folders the agent works in; nothing outside of them is read or written unasked. */
  roots: readonly string[];
}

/** Names that say that something is to be kept private; also as an argument or a pattern to search for. */
const privateName =
  /\.env\b|secret|credential|passw|shadow|sudoers|private|api[_-]?key|access[_-]?key|(?:^|[/._-])(?:keys?|pem|p12|pfx|kdbx|keytab|keystore)(?:$|[/._-])|(?:^|[/._-])(?:access|auth|api|bot|hf|refresh)[._-]?token|(?:^|\/)\.?token(?:$|\.)|id_(?:rsa|dsa|ecdsa|ed25519)|ssh|gnupg|netrc|npmrc|pypirc|git-credentials|_history|cookie|wallet|keychain|keyring|authorized_|known_hosts|environ|AKIA|\bsk-|ghp_|BEGIN [A-Z ]*KEY/i;

const publicFolders = ['/usr/share', '/usr/include', '/usr/lib'];
const publicFiles = new Set(
  '/dev/null /etc/os-release /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/version /proc/uptime'.split(' '),
);
/** What a pattern may end with where contents are shown. */
const shownEndings =
  /^\*\.(?:py|jsonl?|txt|csv|tsv|md|log|out|err|ya?ml|sh|cfg|ini|toml|html|tex|c|h|cpp|cu|rs|js|ts|go|java)$/;

export const looksPrivate = (text: string) => privateName.test(text);

const within = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** The part of a path that lies in the agent's own folders; null for one that may lead elsewhere. */
function ownPart(path: string, { roots }: PlaceRules): string | null {
  if (path === '' || path.split('/').includes('..')) return null;
  if (!path.startsWith('/')) return path;
  const root = roots
    .map((each) => each.replace(/\/+$/, ''))
    .find((each) => each !== '' && within(path, each));
  return root === undefined ? null : path.slice(root.length + 1);
}

const hidden = (part: string) => part.split('/').some((name) => name.length > 1 && name.startsWith('.'));

/** A file or folder that may be looked at. Relative paths are taken to stay inside, because no `cd` leaves unasked. */
export function mayRead(path: string, places: PlaceRules): boolean {
  if (publicFiles.has(path)) return true;
  const own =
    ownPart(path, places) ??
    (publicFolders.some((folder) => within(path, folder)) && !path.includes('..') ? path : null);
  return own !== null && !hidden(own) && !looksPrivate(own);
}

/** Below the agent's own folders, never one of them as a whole. */
export function mayChange(path: string, places: PlaceRules): boolean {
  const own = ownPart(path, places);
  return own !== null && !/^\.?\/*$/.test(own) && !hidden(own) && !looksPrivate(own);
}

/** A pattern for names only (`names`), or one whose files are shown. A word that is a pattern from its first sign may
 *  become an option, so only programs without a harmful one take it (`leading`). */
export function mayExpand(
  pattern: string,
  places: PlaceRules,
  { names, leading }: { names: boolean; leading: boolean },
): boolean {
  if (!leading && /^[*?[-]/.test(pattern)) return false;
  if (!mayRead(pattern, places)) return false;
  if (names) return true;
  const parts = pattern.split('/');
  const last = parts.pop() ?? '';
  return parts.every((part) => !/[*?[\]]/.test(part)) && (shownEndings.test(last) || !/[*?[\]]/.test(last));
}
