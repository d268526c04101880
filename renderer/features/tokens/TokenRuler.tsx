import type { TokenView } from '@shared/contract/export-views';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../../text/language';
import { type RulerMark, rulerMarks } from './ruler-marks';
import type { TokenLayout, TokenLine } from './token-lines';

export interface TokenRulerProps {
  view: TokenView;
  layout: TokenLayout;
  heights: Readonly<Record<TokenLine['kind'], number>>;
  onGo: (line: number) => void;
}

/** The whole row in a strip: where it trains, where it is masked. Goes where it is clicked; the keys `n` and `N` do the same. */
export function TokenRuler({ view, layout, heights, onGo }: TokenRulerProps) {
  const words = useText();
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const marks = useMemo(() => rulerMarks(view, layout, { heights, height }), [view, layout, heights, height]);
  return (
    <div
      ref={box}
      className="token-ruler"
      aria-hidden="true"
      title={words.tokens.ruler}
      onClick={(event) => {
        const top = event.clientY - event.currentTarget.getBoundingClientRect().top;
        const near = [...marks].sort((a, b) => away(a, top) - away(b, top))[0];
        if (near !== undefined) onGo(near.line);
      }}
    >
      {marks.map(({ loss, top, size }) => (
        <i key={`${loss} ${top}`} className={`ruler-${loss}`} style={{ top, height: size }} />
      ))}
    </div>
  );
}

function away({ top, size }: RulerMark, at: number): number {
  return at < top ? top - at : Math.max(0, at - top - size);
}
