import type { Figure } from '@shared/experiments/figures';
import type { Measure } from '@shared/experiments/summary';
import { useText } from '../../text/language';

export interface FigureTextProps {
  /** Undefined: there is none here. */
  figure: Figure | undefined;
  measure: Measure | 'steps';
  /** A difference: a value above 0 has its sign, unless it is shown as 0. */
  signed?: boolean;
}

/** A mean with its deviation, and what it rests on where something is missing. */
export function FigureText({ figure, measure, signed = false }: FigureTextProps) {
  const words = useText();
  const text = words.experiments;
  if (figure === undefined || figure.n + figure.unknown === 0) return <Nothing />;
  const { mean, deviation, n, unknown } = figure;
  const lacking = unknown > 0 ? text.ofAll(n, n + unknown) : null;
  if (mean === null) {
    return (
      <span className="quiet" title={text.unknownMean(unknown)}>
        {text.unknown}
      </span>
    );
  }
  const { money, count } = words.common.format;
  const sizeOf = (value: number) =>
    measure === 'cost' ? money(Math.abs(value)) : oneDigit(Math.abs(value), count);
  const size = sizeOf(mean);
  // What is shown as 0 has no sign.
  const sign = !/[1-9]/.test(size) ? '' : mean < 0 ? '−' : signed ? '+' : '';
  return (
    <span>
      {sign}
      {size}
      {deviation !== null && <span className="quiet">{` ± ${sizeOf(deviation)}`}</span>}
      {lacking !== null && <span className="experiment-lacking quiet">{lacking}</span>}
    </span>
  );
}

/** There is no figure here. */
export function Nothing() {
  return <span className="quiet">{useText().experiments.nothing}</span>;
}

/** One digit behind the point, also where it is 0: figures of a column stand under one another. */
function oneDigit(value: number, count: (n: number) => string): string {
  const [whole = '0', digit = '0'] = value.toFixed(1).split('.');
  return `${count(Number(whole))}.${digit}`;
}
