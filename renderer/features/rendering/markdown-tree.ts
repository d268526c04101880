import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** A line nested deeper than this, or with more brackets in a row, is no text that a person wrote. */
const hostile = /^(?:[ \t]*[>*+-]){40}|[[\](){}*_~`!<]{200}/m;

/** The parts of a markdown text; null where taking it apart could take long. */
export function markdownTree(text: string): Root | null {
  if (hostile.test(text)) return null;
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** An address a link may lead to: the web, spelled out. */
export function webAddress(url: string): string | null {
  return /^https?:\/\/[^\s\u0000-\u001f]+$/i.test(url) ? url : null;
}
