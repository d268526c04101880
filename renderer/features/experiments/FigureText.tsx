import type { Figure } from '@shared/experiments/figures';
import type { Measure } from '@shared/experiments/summary';
import { useText } from '../../text/language';

export interface FigureTextProps {
  /** Undefined: there is none here. */
  figure: Figure | undefined;
  measure: Measure | 'steps';
  /** A difference: a value above 0 has its sign. */
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
  const say = (value: number) =>
    measure === 'cost' ? words.common.format.money(value) : oneDigit(value, words.common.format.count);
  return (
    <span>
      {signed && mean > 0 ? '+' : ''}
      {say(mean)}
      {deviation !== null && <span className="quiet">{` ± ${say(deviation)}`}</span>}
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
  const [whole = '0', digit = '0'] = Math.abs(value).toFixed(1).split('.');
  const sign = value < 0 && `${whole}.${digit}` !== '0.0' ? '−' : '';
  return `${sign}${count(Number(whole))}.${digit}`;
}
