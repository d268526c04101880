import type { SessionHit } from '@shared/contract/search/views';
import type { SessionView } from '@shared/contract/views';
import type { ModelLine } from '@shared/terminal/line-screen';
import { ModelLines } from '@shared/terminal/model-text';
import type { ReadContext } from '../queries/read-context';
import { readSession, readSessions } from '../sessions/read-sessions';
import { HIT_END, HIT_START } from './search-snippet';

/** Raw bytes looked at before others get their turn: some milliseconds. */
const sliceBytes = 256 * 1024;
/** A line that is longer is looked at in pieces, so that output without line breaks cannot fill the memory. */
const longestLine = 1024 * 1024;
const before = 60;
const after = 160;

export interface SessionSearch {
  run: string;
  query: string;
  /** Null = every session of the run. */
  uids: readonly string[] | null;
  limit: number;
}

export interface SessionHits {
  hits: SessionHit[];
  /** There may be more: the limit was reached, or the search was ended. */
  truncated: boolean;
}

/**
 * Looks through the stored output of a run's sessions, line by line as the model would read it, ignoring case. Works in slices;
 * `goOn` is awaited between them and ends the search by answering false. Bytes that were never stored are passed over.
 */
export async function searchSessions(
  context: ReadContext,
  { run, query, uids, limit }: SessionSearch,
  goOn: () => Promise<boolean>,
): Promise<SessionHits> {
  const wanted = literally(query);
  const all = await readSessions(context, run);
  const sessions = all.filter(({ uid }) => uids === null || uids.includes(uid));
  const hits: SessionHit[] = [];
  for (const session of sessions) {
    const take = (lines: readonly ModelLine[]) => {
      for (const line of lines) {
        const hit = hits.length < limit ? hitIn(session, line, wanted) : null;
        if (hit !== null) hits.push(hit);
      }
    };
    if (!(await eachLine(context, session, take, async () => hits.length < limit && (await goOn()))))
      return { hits, truncated: true };
  }
  return { hits, truncated: hits.length >= limit };
}

/** A pattern for a text as it stands, ignoring case. */
export function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'iu');
}

/** Hands over a session's lines, some at a time. `read` hears of the raw bytes passed. @returns false when `goOn` ended it */
export async function eachLine(
  context: ReadContext,
  session: SessionView,
  take: (lines: readonly ModelLine[]) => void,
  goOn: () => Promise<boolean>,
  read: (bytes: number) => void = () => undefined,
): Promise<boolean> {
  let at = 0;
  let lines = new ModelLines(0);
  /** Raw bytes since the last line break. */
  let open = 0;
  const restart = (offset: number) => {
    take(lines.end());
    at = offset;
    lines = new ModelLines(offset);
    open = 0;
  };
  while (at < session.endOffset) {
    if (!(await goOn())) return false;
    const gap = session.gaps.find(({ from, to }) => from <= at && at < to);
    if (gap !== undefined) {
      read(gap.to - at);
      restart(gap.to);
      continue;
    }
    const next = session.gaps.find(({ from }) => from > at)?.from ?? session.endOffset;
    const { bytes, offset } = readSession(
      context,
      session.run,
      session.uid,
      at,
      Math.min(sliceBytes, next - at),
    );
    if (bytes.length === 0) break;
    if (offset !== at) restart(offset);
    take(lines.push(bytes));
    at += bytes.length;
    read(bytes.length);
    const feed = bytes.lastIndexOf(0x0a);
    open = feed < 0 ? open + bytes.length : bytes.length - feed - 1;
    if (open > longestLine) restart(at);
  }
  take(lines.end());
  return true;
}

function hitIn(session: SessionView, line: ModelLine, wanted: RegExp): SessionHit | null {
  const found = wanted.exec(line.text);
  return found === null ? null : lineHit(session, line, found.index, found.index + found[0].length);
}

/** The hit of a line, with what stands between two places of it marked. */
export function lineHit(session: SessionView, line: ModelLine, start: number, end: number): SessionHit {
  const { computer, session: name, uid } = session;
  return {
    uid,
    computer,
    session: name,
    offset: line.offset,
    endOffset: line.endOffset,
    line: excerpt(line.text, start, end),
  };
}

/** The line around the hit, the hit marked. */
function excerpt(text: string, start: number, end: number): string {
  const from = Math.max(0, start - before);
  const to = Math.min(text.length, Math.max(end, start + after));
  const marked = `${plain(text.slice(from, start))}${HIT_START}${plain(text.slice(start, end))}${HIT_END}${plain(text.slice(end, to))}`;
  return `${from > 0 ? '…' : ''}${marked}${to < text.length ? '…' : ''}`;
}

/** No control characters, so that the marks can only be ours; no halves of a character. */
function plain(text: string): string {
  return text.replace(/[\x00-\x1f\x7f]/g, ' ').replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
