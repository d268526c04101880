import { ChannelLost } from './agent-failures';

/**
 * A size, offset, count or process number of the host's; empty means that it does not know, which counts as 0.
 * @throws ChannelLost: a helper that answers something else cannot be trusted with anything
 */
export function wholeNumber(field: string | undefined, what: string): number {
  const number = field === '' ? 0 : Number(field);
  if (Number.isSafeInteger(number) && number >= 0 && /^\d*$/.test(field ?? '-')) return number;
  throw nonsense(field, what);
}

/** Of a process or its group; -1 is the kernel's word for none. @throws ChannelLost */
export function processNumber(field: string | undefined): number {
  return field === '-1' ? -1 : wholeNumber(field, 'a process');
}

/** Latest moment a `Date` can tell, ms. */
const lastMoment = 8.64e15;

/** Host clock, ms since 1970, perhaps with a fraction; empty counts as 0. @throws ChannelLost */
export function moment(field: string | undefined, what: string): number {
  const number = Number(field);
  if (/^(-?\d+(\.\d+)?)?$/.test(field ?? '-') && Math.abs(number) <= lastMoment) return number;
  throw nonsense(field, what);
}

function nonsense(field: string | undefined, what: string): ChannelLost {
  const said = field === undefined ? 'nothing' : JSON.stringify(field.slice(0, 40));
  return new ChannelLost(`the host's helper gave ${said} for ${what}.`);
}
