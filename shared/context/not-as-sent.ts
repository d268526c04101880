import { type ContextEntry, imagesOf } from './context-entry';
import type { AskedWith, LeftOut } from './sent-forms';

/**
 * Messages of a row that the requests behind some of its steps held otherwise. `shortened`: whole, or longer; `reasoning`: with
 * reasoning where the row has none, or without where it has some; `images`: the same of images; `line`: with a line on the
 * budgets that stood in that one request (logs from before such lines stayed).
 */
export interface NotAsSent {
  why: 'shortened' | 'reasoning' | 'images' | 'line';
  /** Places in the row, from 0, ascending. */
  messages: number[];
  /** Own steps, ascending: each was asked for with some of these messages in the other form. */
  steps: number[];
}

interface Row {
  /** Own finished steps; the row is what the last of them was asked with. */
  asked: readonly AskedWith[];
  /** The row holds reasoning. */
  shows: boolean;
  entries: readonly ContextEntry[];
  /** Place of a step's answer among the row's messages. */
  at: ReadonlyMap<number, number>;
  /** Messages before the first step, and those of them that show or name images. */
  head: number;
  headImages: readonly number[];
  /** Whose images the last request only named. */
  leftOut: readonly LeftOut[];
  shortened: readonly { step: number; call: number; held: number[] }[];
}

/** Where the row cannot be what every one of its steps was asked with. */
export function notAsSent(row: Row): NotAsSent[] {
  return [...shortened(row), ...reasoning(row), ...images(row), ...leftOut(row), ...lines(row)].filter(
    ({ messages, steps }) => messages.length > 0 && steps.length > 0,
  );
}

function shortened({ shortened, entries, at, head, asked }: Row): NotAsSent[] {
  const own = new Set(asked.map(({ step }) => step));
  return shortened.map(({ step, call, held }) => {
    const entry = entries.find((each) => each.step === step);
    const nth = entry?.observations.findIndex((each) => each.call === call) ?? -1;
    const place = entry === undefined ? head - 1 : (at.get(step) ?? 0) + 1 + nth;
    return { why: 'shortened', messages: [place], steps: held.filter((each) => own.has(each)) };
  });
}

function reasoning({ asked, shows, entries, at }: Row): NotAsSent[] {
  const steps = asked.filter((each) => each.reasoning !== shows).map(({ step }) => step);
  const last = steps.at(-1) ?? 0;
  const places = entries.flatMap((entry) => {
    const place = at.get(entry.step);
    return entry.reasoning === '' || place === undefined || entry.step >= last ? [] : [place];
  });
  const first = entries.find((entry) => entry.reasoning !== '' && at.has(entry.step))?.step ?? last;
  return [{ why: 'reasoning', messages: places, steps: steps.filter((step) => step > first) }];
}

function images({ asked, entries, at, headImages }: Row): NotAsSent[] {
  const shown = asked.at(-1)?.images;
  const steps = asked.filter((each) => each.images !== shown).map(({ step }) => step);
  const last = steps.at(-1) ?? 0;
  const showing = entries.filter((entry) => at.has(entry.step) && imagesOf(entry) !== undefined);
  const places = showing.filter(({ step }) => step < last).map((entry) => imagePlace(entry, at));
  const first = headImages.length > 0 ? 0 : (showing[0]?.step ?? last);
  return [
    { why: 'images', messages: [...headImages, ...places], steps: steps.filter((step) => step > first) },
  ];
}

/** Images follow the observations of their step. */
function imagePlace({ step, observations }: ContextEntry, at: Row['at']): number {
  return (at.get(step) ?? 0) + 1 + observations.length;
}

function leftOut({ leftOut, asked, entries, at, headImages }: Row): NotAsSent[] {
  // Of a model that takes no images `images` says it.
  if (asked.at(-1)?.images !== true) return [];
  const shown = new Set(asked.flatMap(({ step, images }) => (images ? [step] : [])));
  return leftOut.map(({ step, held }) => {
    const entry = entries.find((each) => each.step === step);
    const messages = entry === undefined ? [...headImages] : [imagePlace(entry, at)];
    return { why: 'images', messages, steps: held.filter((each) => shown.has(each)) };
  });
}

function lines({ asked, at }: Row): NotAsSent[] {
  const told = asked.slice(0, -1).filter(({ tail }) => tail !== '');
  const places = told.flatMap(({ step }) => (at.has(step) ? [(at.get(step) ?? 0) - 1] : []));
  return [{ why: 'line', messages: places, steps: told.map(({ step }) => step) }];
}
