import type { Nodes, Parents, Table } from 'mdast';
import { Fragment, type ReactNode, useDeferredValue, useMemo } from 'react';
import { call } from '../../api';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { legible } from './legible';
import { markdownTree, webAddress } from './markdown-tree';

/** Texts up to this are taken apart before they are shown, UTF-16 units. */
const AT_ONCE = 3000;

/**
 * Markdown as elements of an allow-list. HTML in it and pictures stay text; a link shows where it leads and is opened by
 * the application only, which asks first.
 */
export function MarkdownText({ text }: { text: string }) {
  // A long text is read as it is while it is taken apart.
  const ready = useDeferredValue(text, text.length > AT_ONCE ? '' : text);
  const tree = useMemo(() => markdownTree(ready), [ready]);
  if (tree === null || ready !== text) return <p className="prose">{legible(text)}</p>;
  return (
    <div className="markdown prose">
      <Children of={tree} source={text} />
    </div>
  );
}

interface PartProps<N extends Nodes = Nodes> {
  node: N;
  source: string;
}

function Children({ of, source }: { of: Parents; source: string }) {
  return of.children.map((child, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Part key={at} node={child} source={source} />
  ));
}

function Part({ node, source }: PartProps): ReactNode {
  const inside = 'children' in node ? <Children of={node} source={source} /> : null;
  switch (node.type) {
    case 'text':
      return legible(node.value);
    case 'paragraph':
      return <p>{inside}</p>;
    case 'heading':
      // The document has its own headings: these are one kind, whatever level they ask for.
      return <h4 className={`markdown-h${Math.min(3, node.depth)}`}>{inside}</h4>;
    case 'emphasis':
      return <em>{inside}</em>;
    case 'strong':
      return <strong>{inside}</strong>;
    case 'delete':
      return <del>{inside}</del>;
    case 'blockquote':
      return <blockquote>{inside}</blockquote>;
    case 'list':
      return node.ordered === true ? <ol start={node.start ?? 1}>{inside}</ol> : <ul>{inside}</ul>;
    case 'listItem':
      return (
        <li>
          {node.checked != null && (node.checked ? '☑ ' : '☐ ')}
          {inside}
        </li>
      );
    case 'inlineCode':
      return <code>{legible(node.value)}</code>;
    case 'code':
      return (
        <pre className="code code-wrap">
          {[node.lang, node.meta].filter((each) => each != null && each !== '').length > 0 && (
            <span className="quiet">{`${[node.lang, node.meta].filter(Boolean).join(' ')}\n`}</span>
          )}
          {legible(node.value)}
        </pre>
      );
    case 'thematicBreak':
      return <hr />;
    case 'break':
      return <br />;
    case 'link':
      return <Link url={node.url} title={node.title} inside={inside} />;
    case 'table':
      return <MarkdownTable node={node} source={source} />;
    case 'root':
      return inside;
    default:
      return <Fragment>{legible(verbatim(node, source))}</Fragment>;
  }
}

/** HTML, pictures, references, definitions, footnotes: what stands in the text. */
function verbatim(node: Nodes, source: string): string {
  const { start, end } = node.position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return '';
  const written = source.slice(start.offset, end.offset);
  return node.type === 'definition' || node.type === 'footnoteDefinition' ? `${written}\n` : written;
}

function Link({ url, title, inside }: { url: string; title?: string | null | undefined; inside: ReactNode }) {
  const words = useText().rendering;
  const address = webAddress(url);
  const target = legible(title == null || title === '' ? url : `${url} "${title}"`);
  if (address === null) {
    return (
      <span>
        {inside} <span className="link-target">{`(${target})`}</span>
      </span>
    );
  }
  return (
    <button
      type="button"
      className="link-button"
      aria-label={words.openLink(address)}
      onClick={() => attempt(() => call('app.openExternal', { url: address }))}
    >
      <span className="link">{inside}</span> <span className="link-target">{`(${target})`}</span>
    </button>
  );
}

function MarkdownTable({ node, source }: PartProps<Table>) {
  const [head, ...rows] = node.children;
  return (
    <div className="table-box">
      <table className="data-table">
        <thead>
          <tr>
            {head?.children.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the cells of one text never move
              <th key={at} scope="col">
                <Children of={cell} source={source} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nor do its rows
            <tr key={at}>
              {row.children.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do its columns
                <td key={column}>
                  <Children of={cell} source={source} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
