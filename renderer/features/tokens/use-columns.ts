import { type RefObject, useLayoutEffect, useState } from 'react';

/** Width of a character of the token text in px: all lines share one font of one width. */
function charWidth(box: HTMLElement): number {
  const probe = document.createElement('span');
  probe.className = 'token-line token-probe';
  probe.textContent = '0'.repeat(100);
  box.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return width > 0 ? width : 7.2;
}

/** How many characters fit into `parts` columns beside each other in a box; follows its width. */
export function useColumns(box: RefObject<HTMLElement | null>, padding: number, parts = 1): number {
  const [columns, setColumns] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      const room = element.clientWidth / parts - padding;
      setColumns(Math.max(8, Math.floor(room / charWidth(element))));
    };
    measure();
    // A probe is as wide as the fallback font until the font is there.
    document.fonts.ready.then(measure, () => measure());
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, padding, parts]);
  return columns;
}
