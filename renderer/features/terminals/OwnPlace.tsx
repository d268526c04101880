import type { OwnPlace as Place } from '@shared/contract/ipc/terminals';
import { useEffect, useRef } from 'react';
import { call, failureOf } from '../../api';
import { Empty } from '../../components/Empty';
import { attempt, toastFailure } from '../../state/toasts';
import { useText } from '../../text/language';
import { LinkRow } from './LinkRow';
import type { Shown } from './sessions-shown';
import { nameOf, takeEnter, useShown } from './sessions-shown';

export interface OwnPlaceProps {
  shown: Extract<Shown, { kind: 'own' }>;
  now: number;
}

/** Where an own terminal is shown: room for the view that main lays over it, and what is wrong with its link. */
export function OwnPlace({ shown, now }: OwnPlaceProps) {
  const words = useText().terminals;
  const { terminal } = shown;
  return (
    <section className="terminal-zoom" aria-label={nameOf(shown)}>
      <LinkRow shown={shown} now={now} />
      {terminal.state === 'unknown' && terminal.endOffset === 0 ? (
        <Empty icon="terminal" title={words.awayTitle} text={words.awayText} />
      ) : (
        <Room id={terminal.id} label={words.ownEnter(nameOf(shown))} />
      )}
    </section>
  );
}

/** The keyboard goes into the view; main does that right after a press only, and otherwise it stays here. */
function enter(): void {
  call('own.enter').catch((thrown: unknown) => {
    if (failureOf(thrown).code !== 'refused') toastFailure(thrown);
  });
}

/**
 * The room itself, which can be walked to like any button. The view lies above everything that this page paints, so it is taken
 * away while a sheet or a menu of the page needs the place, and gets the keyboard back afterwards if it had it.
 */
function Room({ id, label }: { id: string; label: string }) {
  const box = useRef<HTMLButtonElement>(null);
  const wanted = useShown((state) => state.enter?.id === id);
  const check = useRef<() => void>(() => undefined);

  useEffect(() => {
    let told = '';
    let wasIn = false;
    const tell = () => {
      const room = box.current;
      if (room === null) return;
      const { x, y, width, height } = room.getBoundingClientRect();
      // A line of the page stays to be seen around it, which shows where the keyboard is.
      const place = { id, x: x + ring, y: y + ring, width: width - 2 * ring, height: height - 2 * ring };
      const free = !isCovered(place);
      // Nowhere for now: the terminal stays what it is, and is there at once when its place is free again.
      const next = free ? place : { id, x: 0, y: 0, width: 0, height: 0 };
      if (JSON.stringify(next) === told) return;
      told = JSON.stringify(next);
      attempt(async () => {
        const { wasIn: left } = await call('own.place', next);
        if (!free) wasIn ||= left;
        else if (wasIn) {
          wasIn = false;
          enter();
        }
      });
    };
    check.current = tell;
    const sizes = new ResizeObserver(tell);
    for (let part: Element | null = box.current; part !== null; part = part.parentElement)
      sizes.observe(part);
    // Sheets and menus are children of the body.
    const sheets = new MutationObserver(tell);
    sheets.observe(document.body, { childList: true });
    return () => {
      check.current = () => undefined;
      sizes.disconnect();
      sheets.disconnect();
      attempt(() => call('own.place', null));
    };
  }, [id]);

  // What moves without changing its size is seen with the next second.
  useEffect(() => check.current());

  useEffect(() => {
    if (wanted && takeEnter(id)) enter();
  }, [wanted, id]);

  return (
    <button ref={box} type="button" className="own-room" data-room={id} aria-label={label} onClick={enter} />
  );
}

/** Width of the line around the view, px. */
const ring = 2;

/** Whether something of the page that lies above its panes needs a part of this place. */
function isCovered({ x, y, width, height }: Omit<Place, 'id'>): boolean {
  return [...document.querySelectorAll('body > .scrim, [role="menu"]')].some((over) => {
    const { left, top, right, bottom } = over.getBoundingClientRect();
    return left < x + width && right > x && top < y + height && bottom > y;
  });
}
