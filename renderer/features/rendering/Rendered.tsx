import { visibleText } from '@shared/terminal/visible-text';
import { useMemo } from 'react';
import { AnsiText } from './AnsiText';
import { plainText } from './action-code';
import { CodeText } from './CodeText';
import type { ContentHint, ContentKind } from './content-kind';
import { DataTable } from './DataTable';
import { imagesIn } from './data-images';
import { ImageList } from './ImageList';
import { JsonTree } from './JsonTree';
import { parseJson, parseJsonLines } from './json-tree';
import { legible } from './legible';
import { MarkdownText } from './MarkdownText';
import { tableRows } from './table-rows';

export interface RenderedProps {
  /** The part that is shown. */
  part: string;
  /** All of it: trees and tables show their first members themselves. */
  whole: string;
  kind: ContentKind;
  /** Exactly as it is, with what cannot be seen written out. */
  raw: boolean;
  hint: ContentHint;
}

/** A text as what it is. Whatever the kind, only text and elements of ours come out of it. */
export function Rendered({ part, whole, kind, raw, hint }: RenderedProps) {
  const look = hint.origin === 'model' ? 'prose' : 'code code-wrap';
  if (raw) return <pre className="code code-wrap">{visibleText(part)}</pre>;
  switch (kind) {
    case 'json':
      return <JsonText text={whole} />;
    case 'table':
      return <TableText text={whole} />;
    case 'image':
      return <ImageText text={whole} />;
    case 'markdown':
      return <MarkdownText text={whole} />;
    case 'ansi':
      return (
        <pre className="code code-wrap">
          <AnsiText text={part} />
        </pre>
      );
    case 'code':
      return (
        <pre className={hint.language === undefined ? 'code' : 'code code-wrap'}>
          <CodeText text={plainText(part)} language={hint.language} path={hint.path} />
        </pre>
      );
    case 'plain':
      return look === 'prose' ? (
        <p className="prose">{legible(plainText(part))}</p>
      ) : (
        <pre className={look}>{legible(plainText(part))}</pre>
      );
  }
}

function JsonText({ text }: { text: string }) {
  const node = useMemo(() => parseJson(text) ?? parseJsonLines(text), [text]);
  return node === null ? <pre className="code code-wrap">{legible(text)}</pre> : <JsonTree node={node} />;
}

function TableText({ text }: { text: string }) {
  const table = useMemo(() => tableRows(text), [text]);
  return table === null ? <pre className="code code-wrap">{legible(text)}</pre> : <DataTable table={table} />;
}

function ImageText({ text }: { text: string }) {
  const found = useMemo(() => imagesIn(text), [text]);
  return (
    <>
      <ImageList images={found.images} />
      <pre className="code code-wrap">{legible(plainText(found.text))}</pre>
    </>
  );
}
