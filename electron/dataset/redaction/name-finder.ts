import { createHash } from 'node:crypto';
import { KnownForms } from '../../secrets/known-forms';
import type { PlainText } from '../../secrets/plain-text';
import type { PrivateNames } from './settings';

export type NameKind = 'user' | 'host' | 'home';

export interface NameHit {
  kind: NameKind;
  rule: 'user-name' | 'host-name' | 'home-folder' | 'home-path' | 'prompt';
  /** In the whole text. */
  start: number;
  end: number;
  identity: string;
  /** The name itself. */
  name: string;
}

/** Everyday words: as the name of a user or host they tell nobody, and are left wherever they are found. */
const EVERYDAY = new Set(
  `admin administrator agent anonymous app apps author backup base bench build builder cache client code coder common
  computer conda config container core daemon data debian default demo deploy desktop dev develop developer docker ec2-user
  environment eval example experiment export file files fedora gitlab gpu guest hadoop home host human import index input jenkins
  jovyan judge laptop linux local localhost login machine main mark master me model mongo mysql name nginx nobody node nodes none
  oracle output owner path person ping play postgres private project public python redis release remote repo research review root
  rule run runner runs sample sandbox script sections self server service session settings shell shared slurm space spark spec
  staff step steps student studio summary support system task team temp terminal test tester tests text time tmux tool tools train
  trainer ubuntu unknown user username users vagrant value version view vscode waymark web work worker workspace workstation world
  www-data`.split(/\s+/u),
);
/** In the path of a home folder these tell nobody. */
const SHARED = new Set([
  ...EVERYDAY,
  'all',
  'lost',
  'you',
  'yourname',
  'your_name',
  'your-name',
  'user_name',
  'foo',
  'bar',
]);
/** Shorter ones are looked for only there, too. */
const SHORTEST = 4;

/** Identities that are kept. */
const MOST_KEPT = 10_000;

const WORD = /[A-Za-z0-9_]/;
/** Behind `home` or `Users`: separators and a name. */
const HOME_NAME =
  /(?:\/|\\{1,16})([A-Za-z0-9\u00c0-\u024f][A-Za-z0-9._\u00c0-\u024f-]{0,63}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,8}(?=[/\\]))/y;
/** Where people have names with blanks in them, and the path goes on. */
const FULL_NAME =
  /(?:\/|\\{1,16})([A-Za-z\u00c0-\u024f][\w.\u00c0-\u024f-]{0,31}(?: [A-Za-z\u00c0-\u024f][\w.\u00c0-\u024f-]{0,31}){1,3})(?=[/\\])/y;
const HOMES = ['/home/', '/Users/', '\\Users\\', '/users/'];
/** `kim@box:~/w$`, with what a prompt may have before it. */
const PROMPT_USER = /(?:^|[^A-Za-z0-9._%+/:-])([A-Za-z_][A-Za-z0-9._-]{0,31})$/u;
const PROMPT_HOST = /([A-Za-z][A-Za-z0-9.-]{0,62}):(?=[~/])/y;
/** What containers are called by themselves. */
const CONTAINER = /^[0-9a-f]{12}$/;

/**
 * Finds user names, host names and home folders in a text: those of the lists as whole words, and whoever a path of a home folder
 * or the prompt of a shell names. Time grows with the length of the text and no faster.
 */
export class NameFinder {
  private readonly kinds = new Map<string, NameKind>();
  private readonly forms: KnownForms;
  /** Of names that were found, so that each is hashed once. */
  private readonly identities = new Map<string, string>();

  constructor({ users, hosts, homes }: PrivateNames) {
    const add = (name: string, kind: NameKind) => {
      if (name.length < SHORTEST || EVERYDAY.has(name.toLowerCase()) || this.kinds.has(name)) return;
      this.kinds.set(name, kind);
    };
    for (const user of users) add(user, 'user');
    for (const host of hosts)
      for (const form of [host, host.toLowerCase(), host.toUpperCase()]) add(form, 'host');
    // A home folder that bears a user's name is readable without that name.
    for (const home of homes) {
      const name = home.split(/[/\\]/u).at(-1) ?? '';
      const named = this.kinds.has(name) || /^(?:\/home|\/Users|[A-Z]:\\Users)[/\\][^/\\]+$/iu.test(home);
      if (!named && home.length > 5 && home !== '/root') add(home, 'home');
    }
    this.forms = new KnownForms([...this.kinds.keys()], (name) => [name]);
  }

  /** In no order; they may overlap. */
  find(view: PlainText): NameHit[] {
    const hits: NameHit[] = [];
    const add = (kind: NameKind, rule: NameHit['rule'], name: string, start: number) =>
      hits.push({
        kind,
        rule,
        name,
        identity: this.identityOf(kind, name),
        start: view.origin(start),
        end: view.after(start + name.length),
      });
    this.listed(view.text, add);
    homeNames(view.text, add);
    prompts(view.text, add);
    return hits;
  }

  private identityOf(kind: NameKind, name: string): string {
    const key = `${kind} ${name}`;
    const known = this.identities.get(key);
    if (known !== undefined) return known;
    const identity = nameIdentity(kind, name);
    if (this.identities.size < MOST_KEPT) this.identities.set(key, identity);
    return identity;
  }

  private listed(
    text: string,
    add: (kind: NameKind, rule: NameHit['rule'], name: string, start: number) => void,
  ): void {
    for (const { start, end, secret: name } of this.forms.find(text)) {
      if (end - start !== name.length) continue;
      if (WORD.test(text[start - 1] ?? ' ') && WORD.test(name[0] ?? '')) continue;
      if (WORD.test(text[end] ?? ' ')) continue;
      const kind = this.kinds.get(name) ?? 'user';
      add(kind, kind === 'user' ? 'user-name' : kind === 'host' ? 'host-name' : 'home-folder', name, start);
    }
  }
}

type Add = (kind: NameKind, rule: NameHit['rule'], name: string, start: number) => void;

function homeNames(text: string, add: Add): void {
  for (const home of HOMES) {
    for (let at = text.indexOf(home); at !== -1; at = text.indexOf(home, at + home.length)) {
      if (!isPath(text, at)) continue;
      const found = homeName(text, at + home.length - 1, home !== '/home/');
      if (found !== null && !SHARED.has(found.name.toLowerCase()))
        add('user', 'home-path', found.name, found.start);
    }
  }
}

/** How far before a home folder a path is looked at. */
const BEFORE = 80;

/** Whether a path of a disk is there, and no address of a page. */
function isPath(text: string, at: number): boolean {
  const [before = ''] = /[A-Za-z0-9._/-]*$/u.exec(text.slice(Math.max(0, at - BEFORE), at)) ?? [];
  return /^(?:-[A-Za-z])?$|^\/(?:[^/]|$)|^\/\/(?:\/|$)/u.test(before);
}

function homeName(text: string, at: number, blanks: boolean): { name: string; start: number } | null {
  for (const pattern of blanks ? [FULL_NAME, HOME_NAME] : [HOME_NAME]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[1];
    if (found === undefined) continue;
    const name = found.replace(/[.-]+$/u, '');
    return name === '' ? null : { name, start: pattern.lastIndex - found.length };
  }
  return null;
}

function prompts(text: string, add: Add): void {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    PROMPT_HOST.lastIndex = at + 1;
    const host = PROMPT_HOST.exec(text)?.[1];
    if (host === undefined) continue;
    const user = PROMPT_USER.exec(text.slice(Math.max(0, at - 33), at))?.[1];
    if (user === undefined || user === 'git') continue;
    if (!EVERYDAY.has(user.toLowerCase())) add('user', 'prompt', user, at - user.length);
    if (!EVERYDAY.has(host.toLowerCase()) && !CONTAINER.test(host)) add('host', 'prompt', host, at + 1);
  }
}

/** Hosts are the same in capitals. */
function nameIdentity(kind: NameKind, name: string): string {
  const value = kind === 'host' ? name.toLowerCase() : name;
  return createHash('sha256').update(`${kind} ${value}`).digest('base64');
}
