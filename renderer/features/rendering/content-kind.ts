import { hasAnsi } from './ansi-lines';
import { imagesIn } from './data-images';
import { parseJson, parseJsonLines } from './json-tree';
import { tableRows } from './table-rows';

/** How a text can be shown besides as it is. */
export type ContentKind = 'plain' | 'ansi' | 'code' | 'json' | 'table' | 'markdown' | 'image';

/** Who wrote it: what a model says is often markdown, what a program prints hardly ever. */
export type TextOrigin = 'model' | 'program' | 'argument';

export interface ContentHint {
  origin: TextOrigin;
  /** The file whose content it is. */
  path?: string | undefined;
  /** The language when it is known without a file. */
  language?: string | undefined;
}

/** Markdown longer than this is shown as text: taking it apart is slow, and not linear in what is nested. */
export const MAX_MARKDOWN = 16 * 1024;
const PROBE = 20_000;

/** What the text is, by its content; every answer shows all of its words. */
export function contentKind(text: string, hint: ContentHint): ContentKind {
  const probe = text.slice(0, PROBE);
  if (probe.trim() === '') return 'plain';
  if (hasAnsi(probe)) return 'ansi';
  if (probe.includes('data:image/') && imagesIn(text).images.length > 0) return 'image';
  if (/^\s*[[{]/.test(probe) && (parseJson(text) ?? parseJsonLines(text)) !== null) return 'json';
  if (hint.origin !== 'model' && tableRows(text) !== null) return 'table';
  if (hint.language !== undefined) return 'code';
  if (isMarkdown(probe, hint) && text.length <= MAX_MARKDOWN) return 'markdown';
  if (hint.path !== undefined && /\.[a-z0-9]{1,10}$|(?:^|\/)[A-Z][a-z]+file$/i.test(hint.path)) return 'code';
  return 'plain';
}

function isMarkdown(probe: string, { origin, path }: ContentHint): boolean {
  if (path !== undefined) return /\.(?:md|markdown)$/i.test(path);
  const signs = [
    /^#{1,6} \S/m,
    /^```/m,
    /^\s{0,3}(?:[-*+]|\d{1,3}[.)]) \S/m,
    /\*\*[^*\n]+\*\*/,
    /`[^`\n]+`/,
    /^\|.+\|$/m,
    /\[[^\]\n]+\]\([^)\s]+\)/,
  ].filter((sign) => sign.test(probe)).length;
  return signs >= (origin === 'model' ? 1 : 3);
}
