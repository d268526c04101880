import { WaymarkError } from '@shared/contract/errors';

/** What the copying program said (`resources/checkpoint`). Bytes are as files are long, not blocks. */
export interface CopyAnswer {
  status: 'sized' | 'made' | 'restored' | 'full' | 'missing' | 'occupied' | 'damaged';
  files: number;
  bytes: number;
  newFiles: number;
  newBytes: number;
  free: number | null;
  /** Absolute folder of a checkpoint that was made. */
  folder: string;
  /** Files that are not as they should be, and how many there are in all. */
  notes: { what: string; path: string }[];
  noted: number;
}

const statuses: readonly CopyAnswer['status'][] = [
  'sized',
  'made',
  'restored',
  'full',
  'missing',
  'occupied',
  'damaged',
];

/**
 * Reads the program's answer out of whatever was printed around it.
 * @throws WaymarkError refused with the end of what was printed, when there is no whole answer in it
 */
export function parseCopyAnswer(output: string, where: string): CopyAnswer {
  const lines = output.slice(Math.max(0, output.indexOf('waymark-checkpoint 1\n'))).split('\n');
  const end = lines.indexOf('end');
  const values = new Map<string, string>();
  const notes: CopyAnswer['notes'] = [];
  for (const line of lines.slice(0, Math.max(0, end))) {
    const [name = '', value = '', path = ''] = line.split(' ');
    if (name === 'note') notes.push({ what: value, path: unescaped(path) });
    else values.set(name, value);
  }
  const status = statuses.find((each) => each === values.get('status'));
  if (values.get('waymark-checkpoint') !== '1' || status === undefined) {
    const said = output.trim().split('\n').slice(-3).join(' ').slice(-500);
    throw new WaymarkError(
      'refused',
      `The workspace on ${where} could not be copied: ${said || 'no answer'}`,
    );
  }
  const number = (name: string) => Number(values.get(name) ?? 0);
  const free = values.get('free') ?? '';
  return {
    status,
    notes,
    noted: number('notes'),
    files: number('files'),
    bytes: number('bytes'),
    newFiles: number('newFiles'),
    newBytes: number('newBytes'),
    free: free === '' ? null : Number(free),
    folder: unescaped(values.get('folder') ?? ''),
  };
}

function unescaped(text: string): string {
  const bytes: number[] = [];
  for (const [part] of text.matchAll(/%[0-9a-f]{2}|[^%]/g)) {
    bytes.push(part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0));
  }
  return Buffer.from(bytes).toString('utf8');
}

const words: Record<string, string> = {
  changed: 'changed while it was copied',
  unreadable: 'could not be read',
  special: 'is no file (a socket, a pipe or a device)',
  damaged: 'is not as long as it was when it was copied',
};

/** One sentence about files that are not, or not wholly, in the copy; '' when there are none. */
export function noteSentence({ notes, noted }: Pick<CopyAnswer, 'notes' | 'noted'>): string {
  if (noted === 0) return '';
  const [first, ...more] = notes.slice(0, 3).map(({ what, path }) => `${path} ${words[what] ?? what}`);
  const others = noted - Math.min(3, notes.length);
  return `${[first, ...more].join('; ')}${others > 0 ? `; and ${others} more` : ''}.`;
}
