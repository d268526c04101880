import type { TokenView } from '@shared/contract/export-views';
import { firstFrom, type TokenLayout, type TokenLine } from './token-lines';

/** A mark in the strip beside the text. */
export interface RulerMark {
  loss: 'trained' | 'masked';
  /** Px from the top. */
  top: number;
  size: number;
  /** The first line it is about. */
  line: number;
}

/** Nothing is drawn smaller. */
const LEAST = 3;

/** Stretches of lines that train or are masked, on a strip of `height` px; what would lie over one another becomes one mark. */
export function rulerMarks(
  view: TokenView,
  { lines }: TokenLayout,
  { heights, height }: { heights: Readonly<Record<TokenLine['kind'], number>>; height: number },
): RulerMark[] {
  const total = lines.reduce((sum, { kind }) => sum + heights[kind], 0);
  if (total === 0 || height === 0) return [];
  // A text that fits is not stretched: its marks stand beside their lines.
  const scale = Math.min(1, height / total);
  const marks: RulerMark[] = [];
  const last: Partial<Record<RulerMark['loss'], RulerMark>> = {};
  let top = 0;
  for (const [index, line] of lines.entries()) {
    const size = heights[line.kind] * scale;
    if (line.kind === 'text') {
      for (const loss of lossesOn(view, line.from, line.to)) {
        const before = last[loss];
        if (before !== undefined && top - (before.top + before.size) < 1) {
          before.size = Math.max(before.size, top + size - before.top);
        } else {
          const mark = { loss, top, size: Math.max(LEAST, size), line: index };
          last[loss] = mark;
          marks.push(mark);
        }
      }
    }
    top += size;
  }
  return marks;
}

function lossesOn({ starts, losses }: TokenView, from: number, to: number): RulerMark['loss'][] {
  const first = Math.max(0, firstFrom(starts, from + 1) - 1);
  const on = losses.slice(first, firstFrom(starts, to));
  return [
    ...(on.includes('t') ? (['trained'] as const) : []),
    ...(on.includes('m') ? (['masked'] as const) : []),
  ];
}
