import type { ReactNode } from 'react';
import { useId, useRef, useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { usePlotColours } from './plot-colours';
import { csvOf, type PlotRows, pngOf, svgOf } from './plot-files';

export interface PlotFrameProps {
  title: string;
  /** What the plot shows in a sentence or two: read aloud instead of the drawing. */
  summary: string;
  width: number;
  height: number;
  rows: PlotRows;
  /** Controls beside the title. */
  head?: ReactNode;
  children: ReactNode;
}

/** A drawing with its figures as a table, and both as files. */
export function PlotFrame({ title, summary, width, height, rows, head, children }: PlotFrameProps) {
  const words = useText().plots;
  const colours = usePlotColours();
  const drawing = useRef<SVGSVGElement>(null);
  const [asTable, setAsTable] = useState(false);
  const id = useId();

  async function save(format: 'png' | 'svg' | 'csv'): Promise<void> {
    const svg = drawing.current;
    if (svg === null) return;
    const content =
      format === 'csv'
        ? csvOf(rows)
        : format === 'svg'
          ? svgOf(svg, colours.ground)
          : await pngOf(svg, colours.ground);
    const done = await call('plots.save', { name: title, format, content });
    if (done !== null) toast((text) => text.plots.saved(done.path));
  }

  return (
    <figure className="plot" aria-labelledby={id}>
      <figcaption className="plot-head">
        <h3 id={id}>{title}</h3>
        {head}
        <span className="space" />
        <Button look="ghost" small aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {words.table}
        </Button>
        {(['png', 'svg', 'csv'] as const).map((format) => (
          <Button key={format} look="ghost" small onClick={() => attempt(() => save(format))}>
            {format.toUpperCase()}
          </Button>
        ))}
      </figcaption>
      <p className="plot-summary text-12 quiet">{summary}</p>
      <svg
        ref={drawing}
        className={asTable ? 'plot-hidden' : 'plot-drawing'}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}. ${summary}`}
        fontFamily="Inter Variable, Inter, system-ui, sans-serif"
        fontSize={11}
      >
        {children}
      </svg>
      {asTable && <PlotTable rows={rows} title={title} />}
    </figure>
  );
}

const MOST_ROWS = 500;

function PlotTable({ rows, title }: { rows: PlotRows; title: string }) {
  const text = useText();
  const [head = [], ...body] = rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
    <section className="plot-table scroll" tabIndex={0} aria-label={title}>
      <table className="plot-figures">
        <thead>
          <tr>
            {head.map((name) => (
              <th key={String(name)} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.slice(0, MOST_ROWS).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: figures stay in their place
            <tr key={index}>
              {row.map((value, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={column} className={typeof value === 'number' ? 'tabular' : undefined}>
                  {typeof value === 'number' ? text.common.format.count(value) : (value ?? '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {body.length > MOST_ROWS && <p className="quiet text-12">{text.plots.rest(body.length - MOST_ROWS)}</p>}
    </section>
  );
}
