import type { AnnotationEntry } from '../log/annotations';

/**
 * Which entries count among those about one step. Having seen an entry (`supersedes`) means having seen what that one had
 * seen, also when it was undone since; a standing entry counts unless a standing one that has seen it replaces it.
 *
 * The work for one step grows with its entries and the sights between them, not with their square: whoever can end the same
 * opinions is followed at once, and each entry passes on at most two names of those who have seen it, for one of two is
 * another one than itself.
 */
export class AnnotationHeads {
  private numbers: ReadonlyMap<string, number> | null = null;
  private readonly seen: (readonly number[] | undefined)[] = [];
  private readonly quick: (ReadonlySet<number> | undefined)[] = [];
  private readonly kinds: (string | undefined)[] = [];
  /** In which question the entry was active last. */
  private readonly asked: Int32Array;
  private question = 0;
  /** Two entries that have seen this one, in the search under way; -1 is none. */
  private readonly first: Int32Array;
  private readonly second: Int32Array;

  /** `entries`: each once. `standing`: ids of those that no standing undo takes out. */
  constructor(
    private readonly entries: readonly AnnotationEntry[],
    private readonly standing: ReadonlySet<string>,
  ) {
    this.asked = new Int32Array(entries.length);
    this.first = new Int32Array(entries.length).fill(-1);
    this.second = new Int32Array(entries.length).fill(-1);
  }

  /** The heads among some of the entries, by number, in their order. `active` holds the undone ones too. */
  among(active: readonly number[]): AnnotationEntry[] {
    const live = active.filter((number) => this.standing.has(this.entry(number).ulid));
    // Who has seen nothing replaces nothing.
    const seeing = live.length > 1 && active.some((number) => this.entry(number).supersedes.length > 0);
    if (!seeing) return live.map((number) => this.entry(number));
    const replaced = this.replaced(active, live);
    return live.filter((number) => !replaced.has(number)).map((number) => this.entry(number));
  }

  private replaced(active: readonly number[], live: readonly number[]): ReadonlySet<number> {
    this.question += 1;
    for (const number of active) this.asked[number] = this.question;
    const groups = new Map<string, number[]>();
    for (const number of live) {
      const kind = this.kindOf(number);
      const group = groups.get(kind);
      if (group === undefined) groups.set(kind, [number]);
      else group.push(number);
    }
    const replaced = new Set<number>();
    for (const group of groups.values()) {
      const [one = 0] = group;
      const others = live.filter(
        (number) => (group.length > 1 || number !== one) && replaces(this.entry(one), this.entry(number)),
      );
      if (others.length > 0) this.follow(group, active, others, replaced);
    }
    return replaced;
  }

  /** Adds those of `others` that one of the group, but not only they themselves, has seen. */
  private follow(
    group: readonly number[],
    active: readonly number[],
    others: readonly number[],
    replaced: Set<number>,
  ): void {
    const first = this.first;
    const second = this.second;
    const reached: number[] = [];
    const open = group.map((number): [entry: number, seer: number] => [number, number]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [entry, seer] = next;
      for (const older of this.seenBy(entry, active)) {
        if (first[older] === -1) {
          first[older] = seer;
          reached.push(older);
        } else if (first[older] !== seer && second[older] === -1) second[older] = seer;
        else continue;
        open.push([older, seer]);
      }
    }
    for (const number of others) {
      if (second[number] !== -1 || (first[number] !== -1 && first[number] !== number)) replaced.add(number);
    }
    for (const number of reached) {
      first[number] = -1;
      second[number] = -1;
    }
  }

  /** Active entries that this one names as seen. The smaller side leads: either may hold thousands. */
  private seenBy(number: number, active: readonly number[]): readonly number[] {
    const seen = this.seen[number] ?? this.look(number);
    if (seen.length <= active.length) return seen.filter((each) => this.asked[each] === this.question);
    let quick = this.quick[number];
    if (quick === undefined) {
      quick = new Set(seen);
      this.quick[number] = quick;
    }
    return active.filter((each) => quick.has(each));
  }

  private look(number: number): readonly number[] {
    const numbers = this.numbers ?? new Map(this.entries.map(({ ulid }, index) => [ulid, index]));
    this.numbers = numbers;
    const seen = this.entry(number).supersedes.flatMap((ulid) => numbers.get(ulid) ?? []);
    this.seen[number] = seen;
    return seen;
  }

  private kindOf(number: number): string {
    const known = this.kinds[number];
    if (known !== undefined) return known;
    const entry = this.entry(number);
    const { body, author } = entry;
    const clears = body.op === 'label' && body.value === 'clear';
    const which = body.op === 'reward' ? JSON.stringify([body.vote, body.rubric]) : '';
    const kind = `${body.op} ${clears} ${registerOf(entry)} ${which} ${author.uuid}`;
    this.kinds[number] = kind;
    return kind;
  }

  private entry(number: number): AnnotationEntry {
    const entry = this.entries[number];
    if (entry === undefined) throw new RangeError(`There is no entry ${number}.`);
    return entry;
  }
}

/** What an entry speaks about: entries of different registers never replace each other. */
function registerOf({ body }: AnnotationEntry): string {
  switch (body.op) {
    case 'hint':
      return `hint ${body.hint}`;
    case 'assign':
      return `assign ${body.batch} ${body.to.uuid}`;
    case 'label':
    case 'adjudicate':
      return 'decision';
    default:
      return body.op;
  }
}

/**
 * Whether an entry ends an older one that it has seen. Decided by register, operation and author, and of votes on whether a step is
 * good by number and rubric.
 */
export function replaces(newer: AnnotationEntry, older: AnnotationEntry): boolean {
  const { op } = newer.body;
  if (op === 'comment' || registerOf(newer) !== registerOf(older)) return false;
  if (newer.body.op === 'reward' && older.body.op === 'reward') {
    const isAnother = newer.body.rubric === older.body.rubric && newer.body.vote !== older.body.vote;
    return !isAnother && newer.author.uuid === older.author.uuid;
  }
  // An adjudication stands above labels, so a label (one of many in a range, say) does not end it; clearing does.
  if (op === 'label' && older.body.op === 'adjudicate' && newer.body.value !== 'clear') return false;
  if (op === 'flag' || op === 'assign' || newer.author.uuid === older.author.uuid) return true;
  return op === 'adjudicate' && older.body.op === 'adjudicate';
}
