import { useMemo, useState } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useView } from '../../state/view';
import { useText } from '../../text/language';
import { AnsiText } from './AnsiText';
import { excerpt } from './action-code';
import { type JsonNode, textOfLiteral } from './json-tree';
import { firstPart, legible } from './legible';

/** Members shown at first, and more at a time. */
const PAGE = 100;
/** A member opens by itself when it is no larger than this, UTF-16 units. */
const SMALL = 2000;
const LONG_STRING = 2000;
/** Lines of a text at first, and UTF-16 units of it when asked for more. */
const TEXT_LINES = 60;
const FIRST_TEXT = 8000;
const WHOLE_TEXT = 64 * 1024;

/** JSON as a tree that folds; every literal stands as it was written. */
export function JsonTree({ node }: { node: JsonNode }) {
  return (
    <ul className="json-tree">
      <JsonMember node={node} name={null} depth={0} />
    </ul>
  );
}

interface MemberProps {
  node: JsonNode;
  /** The key's literal, or an index; null for the whole. */
  name: string | null;
  depth: number;
}

function JsonMember({ node, name, depth }: MemberProps) {
  const words = useText();
  const everything = useView((state) => state.expanded);
  const [own, setOwn] = useState<boolean | null>(null);
  const label = name !== null && <span className="syntax-key">{`${legible(name)}: `}</span>;
  if (node.kind === 'scalar') {
    const written = textOfLiteral(node);
    return written !== null ? (
      <li>
        {label}
        <WrittenText text={written} />
      </li>
    ) : (
      <li>
        {label}
        <Scalar node={node} />
      </li>
    );
  }
  const count = node.kind === 'object' ? node.entries.length : node.items.length;
  const open = count > 0 && (own ?? (depth === 0 || node.size <= SMALL || (everything && depth < 6)));
  const [left, right] = node.kind === 'object' ? ['{', '}'] : ['[', ']'];
  const size = words.rendering.members(count, words.common.format.bytes(node.size));
  return (
    <li>
      <button
        type="button"
        className="json-fold"
        aria-expanded={open}
        disabled={count === 0}
        onClick={() => setOwn(!open)}
      >
        <Icon name={open ? 'down' : 'right'} small />
        {label}
        <span>{open ? left : `${left}…${right}`}</span>
        <span className="quiet">{size}</span>
      </button>
      {open && <Members node={node} depth={depth} />}
      {open && <span className="json-end">{right}</span>}
    </li>
  );
}

function Members({ node, depth }: { node: Exclude<JsonNode, { kind: 'scalar' }>; depth: number }) {
  const words = useText().rendering;
  const [shown, setShown] = useState(PAGE);
  const members: { key: string; value: JsonNode }[] =
    node.kind === 'object'
      ? node.entries.slice(0, shown)
      : node.items.slice(0, shown).map((value, at) => ({ key: String(at), value }));
  const count = node.kind === 'object' ? node.entries.length : node.items.length;
  return (
    <ul>
      {members.map(({ key, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the members of one text never move, and keys may be doubled
        <JsonMember key={at} name={key} node={value} depth={depth + 1} />
      ))}
      {count > shown && (
        <li>
          <Button look="ghost" small onClick={() => setShown(shown + PAGE * 5)}>
            {words.moreMembers(count - shown)}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** A string of several lines as the text it holds, its progress bars at their last state; "Raw" shows the literal. */
function WrittenText({ text }: { text: string }) {
  const words = useText().rendering;
  const everything = useView((state) => state.expanded);
  const [own, setOwn] = useState<boolean | null>(null);
  const shown = useMemo(
    () => ((own ?? everything) ? firstPart(text, WHOLE_TEXT) : excerpt(text, TEXT_LINES, FIRST_TEXT).text),
    [text, own, everything],
  );
  const left = text.length - shown.length;
  return (
    <>
      <pre className="json-text">
        <AnsiText text={shown} />
      </pre>
      {left > 0 && (
        <Button look="ghost" small onClick={() => setOwn(true)}>
          {words.moreCharacters(left)}
        </Button>
      )}
    </>
  );
}

function Scalar({ node }: { node: Extract<JsonNode, { kind: 'scalar' }> }) {
  const words = useText().rendering;
  const [whole, setWhole] = useState(false);
  const long = node.raw.length > LONG_STRING && !whole;
  const kind = node.type === 'string' ? 'syntax-string' : 'syntax-number';
  return (
    <>
      <span className={kind}>{legible(long ? node.raw.slice(0, LONG_STRING) : node.raw)}</span>
      {long && (
        <Button look="ghost" small onClick={() => setWhole(true)}>
          {words.moreCharacters(node.raw.length - LONG_STRING)}
        </Button>
      )}
    </>
  );
}
