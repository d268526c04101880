import { type ReactNode, useId } from 'react';
import { Button } from '../../components/Button';
import { useText } from '../../text/language';
import { csvOf, type PlotRows } from '../plots/plot-files';
import { saveText } from './experiments';

export interface TableFrameProps {
  title: string;
  /** Under the title: what the figures are. */
  note?: string;
  /** The same figures for a file, unrounded; the first row names the columns. */
  rows: PlotRows;
  /** Name of the file. */
  file: string;
  /** Controls beside the title. */
  head?: ReactNode;
  children: ReactNode;
}

/** A table of an experiment with its title, and its figures as a file. */
export function TableFrame({ title, note, rows, file, head, children }: TableFrameProps) {
  const text = useText().experiments;
  const id = useId();
  return (
    <figure className="experiment-part" aria-labelledby={id}>
      <figcaption className="experiment-part-head">
        <h3 id={id}>{title}</h3>
        {head}
        <span className="space" />
        <Button look="ghost" small onClick={() => saveText(file, 'csv', csvOf(rows))}>
          {text.csv}
        </Button>
      </figcaption>
      {note !== undefined && <p className="text-12 quiet experiment-note">{note}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard */}
      <section className="experiment-scroll" tabIndex={0} aria-label={title}>
        {children}
      </section>
    </figure>
  );
}
