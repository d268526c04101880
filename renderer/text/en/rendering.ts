import { plural } from './common';

/** Names of the ways a text can be shown, by kind. */
const kinds: Record<string, string> = {
  ansi: 'Colours',
  code: 'Code',
  json: 'JSON',
  table: 'Table',
  markdown: 'Formatted',
  image: 'Picture',
};

export const rendering = {
  shownAs: 'Shown as',
  kind: (kind: string) => kinds[kind] ?? kind,
  raw: 'Raw',
  copy: 'Copy the exact text',
  copied: (size: string) => `Copied, ${size}`,
  find: 'Search in this text',
  hits: (at: number, of: number) => (of === 0 ? 'no hit' : `${at} of ${of}`),
  nextHit: 'Next hit',
  previousHit: 'Previous hit',
  closeFind: 'Close the search',
  atLine: (line: string) => `Line ${line}`,
  showMore: (part: string, left: string) => `Show ${part} more of ${left}`,
  members: (n: number, size: string) => `${n === 1 ? '1 member' : `${n} members`}, ${size}`,
  moreMembers: (n: number) => `Show more of ${n}`,
  moreCharacters: (n: number) => `Show ${n} more characters`,
  tableOf: (rows: number, columns: number) => `Table, ${plural(rows, 'row')}, ${plural(columns, 'column')}`,
  moreRows: (n: string) => `Show more of ${n} rows`,
  imageOf: (n: number, type: string, size: string) => `Image ${n}, ${type}, ${size}`,
  imageFacts: (name: string, type: string, pixels: string, size: string) =>
    `${name}, ${type}, ${pixels} pixels, ${size}`,
  openImage: (name: string) => `Show ${name} at full size`,
  openLink: (address: string) => `Open ${address} (asks first)`,
};
