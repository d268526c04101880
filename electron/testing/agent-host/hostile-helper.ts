import { encodeHead } from '../../computer/agent/frames';
import { plainHello } from '../scripted-host';
import { seededRandom } from '../seeded-random';
import type { FakeHelper, FakeRequest } from './fake-helper';

type Said = { fields: (string | number)[]; body?: Buffer };

const nasty = [
  ...[
    '',
    '-1',
    '-0',
    '0.5',
    'NaN',
    'Infinity',
    '1e309',
    '9007199254740993',
    '99999999999999999999',
    '0x10',
    ' 1 ',
  ],
  ...[
    '../../../etc/passwd',
    '/',
    '..',
    '/etc/shadow',
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(5000),
  ],
  ...['\x1b[2J\x1b]52;c;AAAA\x07', '\0', '\r\n', '\u202e', '💥', '1\t2', 'none', 'alive', 'taken'],
];
const bodies = [
  ...['', '\n\n\n\n', '\t\t\t\t\t\t\t\t\t\n'.repeat(50), 'file\t../../evil\n', 'file\t/etc/passwd\n'],
  ...[
    'id=\nshell=-1\ntty=/dev/../etc\n',
    'file\t-5\t1e999\t/work/../../etc/x\n',
    '\xff\xfe\0\0',
    '0 1 A 0\n'.repeat(2000),
  ],
  ...['-1\t-1\t-1\t-1\t-1\t\x1b[2J\t\t\t\t\x07\x07\n', '\x1b[9999999999L'],
];

/** A helper program that answers nearly well: a part of what it says is changed, doubled, held back, or nobody asked for it. */
export class HostileHelper {
  private readonly random: () => number;
  /** How much of what it says is changed: a helper that lies in everything is never believed far. */
  private readonly honesty: number;
  private readonly ids: string[] = [];
  private readonly followed: string[] = [];

  /** `honesty`: 1 for a helper that never lies. */
  constructor(seed: number, honesty = [0, 0.6, 0.85, 0.95][seed % 4] ?? 0) {
    this.random = seededRandom(seed);
    this.honesty = honesty;
  }

  /** For `FakeHelper`. */
  readonly answer = (request: FakeRequest, helper: FakeHelper): void => {
    const { id, op, args } = request;
    this.ids.push(id);
    if (['credit', 'unfollow', 'unwatch', 'cancel'].includes(op)) return;
    if (op === 'follow') this.followed.push(args[0] ?? '');
    const said = [...this.honest(request), ...this.unasked()];
    for (const each of said) this.say(helper, each);
  };

  private honest({ id, op, args, body }: FakeRequest): Said[] {
    const ok = (fields: (string | number)[] = [], content?: string): Said[] => [
      { fields: ['=', id, ...fields], ...(content === undefined ? {} : { body: Buffer.from(content) }) },
    ];
    const letter = (args[0] ?? '').at(-1) ?? '?';
    const now = '1700000000000.5';
    switch (op) {
      case 'hello':
        return ok(Object.entries(plainHello).map(([name, value]) => `${name}=${value}`));
      case 'ping':
        return ok([now]);
      case 'resource':
        return ok([body.length > 0 ? 'have' : 'need']);
      case 'directories':
        return ok(['a', 'b'], 'c\n');
      case 'identify':
        return ok(
          ['ab12'],
          `id=${letter}\nsupervisor=12\nshell=13\ntty=/dev/pts/1\nboot=b0\ncreated=5\ncwd=/\n`,
        );
      case 'look': {
        const marks = Number(args[1]) > 0 ? '' : '0 10 A 0\n';
        const rows = args[2] === '1' ? '13\t12\t13\t13\t13\tS\t9\tpoll\t1\tbash\n' : '';
        const facts = [letter, 'alive', '', 0, 3000, now, 0, 0, 1, 0, 0, 0, '0', '1', rows ? 1 : 0, 0];
        return ok(facts, marks + rows);
      }
      case 'read': {
        const offset = Number(args[1]);
        const length = Math.max(0, Math.min(3000 - offset, Number(args[2])));
        return ok([offset, 3000, 0], letter.repeat(length));
      }
      case 'follow':
        return [...ok(), ...this.output(args[0] ?? '', Number(args[2]), (args[1] ?? '').at(-1) ?? '?')];
      case 'watch':
        return [...ok(), { fields: ['c', args[0] ?? ''] }];
      case 'input':
        return ok([1, 1]);
      case 'command':
        return ok(['sent']);
      case 'holders':
        return ok([1, 13, 13, 'S', 1]);
      case 'start':
        return ok(['started']);
      case 'drop':
      case 'discard':
      case 'clear':
        return ok([0]);
      case 'f.read':
        return args[0]?.includes('large')
          ? ok([400_000, 5, '644', '', 1])
          : ok([3, 5, '644', 'ab'.repeat(32)], 'abc');
      case 'f.range': {
        const length = Math.max(0, Math.min(400_000 - Number(args[1]), Number(args[2])));
        return ok([400_000, 5], 'r'.repeat(length));
      }
      case 'f.stat':
        return ok(['file', 3, 5, '644']);
      case 'f.list':
        return [{ fields: ['+', id], body: Buffer.from('file\tx\n') }, ...ok([], 'directory\ty\n')];
      case 'f.walk':
        return ok([0], `file\t3\t5\t${args[0]}/x\nfile\t3\t5\t${args[0]}/y/z\n`);
      case 'exec':
        return ok([0, 0], 'done\n');
      default:
        return ok(['ab'.repeat(32)]);
    }
  }

  private output(fid: string, from: number, letter: string): Said[] {
    const said: Said[] = [];
    let offset = from;
    for (let piece = 0; piece < 3; piece += 1) {
      const length = 1 + Math.floor(this.random() * 700);
      said.push({ fields: ['d', fid, offset, 5], body: Buffer.from(letter.repeat(length)) });
      offset += length;
    }
    said.push({ fields: ['g', fid, offset, offset + 9] }, { fields: ['e', fid, offset + 9] });
    return said;
  }

  /** Answers to nothing, to what was answered, and output nobody follows or somebody else does. */
  private unasked(): Said[] {
    if (this.random() > 0.1 * (1 - this.honesty)) return [];
    const kind = this.pick(['=', '!', '+', 'd', 'g', 'e', 'c', 'z', '']);
    const id = this.pick([...this.ids, ...this.followed, '0', '-1', '999999', '__proto__']);
    return [{ fields: [kind, id, this.pick(nasty), this.pick(nasty)], body: Buffer.from(this.pick(bodies)) }];
  }

  private say(helper: FakeHelper, { fields, body = Buffer.alloc(0) }: Said): void {
    const changed = [...fields];
    let content = body;
    const at = 1 + Math.floor(this.random() * changed.length);
    const dice = this.random() < this.honesty ? 0.5 : this.random();
    if (dice < 0.12) changed[at] = this.pick(nasty);
    else if (dice < 0.15) changed.splice(at, 1 + Math.floor(this.random() * 3));
    else if (dice < 0.18) changed.splice(at, 0, this.pick(nasty), this.pick(nasty));
    else if (dice < 0.21) changed[1] = this.pick(this.ids);
    else if (dice < 0.24)
      changed.splice(0, changed.length, '!', String(fields[1]), this.pick(nasty), this.pick(nasty));
    else if (dice < 0.3) content = Buffer.from(this.pick(bodies), 'latin1');
    else if (dice < 0.33) content = content.subarray(0, Math.floor(this.random() * content.length));
    else if (dice < 0.34) return;
    const frame = Buffer.concat([encodeHead(changed.map(String), content.length), content]);
    if (dice > 0.99) {
      const place = Math.floor(this.random() * frame.length);
      frame.writeUInt8(frame.readUInt8(place) ^ (1 << Math.floor(this.random() * 8)), place);
    }
    helper.sayRaw(dice > 0.98 && dice <= 0.985 ? Buffer.from(this.pick(lies), 'latin1') : frame);
    if (dice > 0.985 && dice <= 0.99) helper.sayRaw(frame);
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }
}

const lies = [
  '99999999 1\n',
  '1 99999999\n',
  '123456789 1\n',
  '-1 0\n=',
  '0 0\n',
  '65537 0\n',
  ' \n',
  '5\n',
  '\xff',
];
