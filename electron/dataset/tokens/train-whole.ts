import { WaymarkError } from '@shared/contract/errors';
import type { TemplateRow, Training } from './conversation';
import { Headers } from './headers';
import { messageList, own, renderWhole, tokenAt, training, type Whole } from './rendering';
import type { LoadedTokenizer } from './tokenizer';

/** Loss from behind the generation prompt to the end of each message of the assistant. */
export function trainTurns(loaded: LoadedTokenizer, row: TemplateRow): Training {
  const whole = renderWhole(loaded, row);
  const { owner, warnings } = turnOwners(loaded, row, whole);
  return training(whole, { owner, trained: null, warnings });
}

/**
 * Loss for the template's `{% generation %}` blocks, whatever the masks say: a template that honours them leaves the block out
 * around a masked message. Offsets become tokens as in Hugging Face: from the token that holds the first character to the one that
 * holds the last.
 */
export function trainGenerations(loaded: LoadedTokenizer, row: TemplateRow): Training {
  if (!loaded.template.hasGenerations)
    throw new WaymarkError(
      'refused',
      `The template of ${loaded.view.name} has no {% generation %} block, so this rule would train nothing. Choose another rule, or a training template.`,
    );
  const whole = renderWhole(loaded, row);
  const { owner, warnings } = turnOwners(loaded, row, whole);
  const trained = new Uint8Array(whole.encoded.ids.length);
  const others = new Set<number>();
  for (const { from, to } of whole.marked.generations) {
    const first = tokenAt(whole.encoded, from);
    if (first === null) break;
    // A last token that is not found, or is the first of all, means "to the end" there.
    const last = tokenAt(whole.encoded, to - 1);
    const until = last === null || last === 0 ? trained.length : last + 1;
    const message = whole.places.findIndex(
      (place) => from >= place.from && from < Math.max(place.to, place.from + 1),
    );
    if (row.masks[message] === 0) others.add(message);
    for (let token = first; token < until; token += 1) {
      trained[token] = 1;
      owner[token] = message;
    }
  }
  if (others.size > 0)
    warnings.push(
      `The template trains ${messageList([...others])} although a mask is on: it has {% generation %} without looking at "train". Use the template that the export for TRL writes.`,
    );
  return training(whole, { owner, trained, warnings });
}

function turnOwners(
  loaded: LoadedTokenizer,
  row: TemplateRow,
  whole: Whole,
): { owner: Int32Array; warnings: string[] } {
  const owner = new Int32Array(whole.encoded.ids.length).fill(-1);
  const headers = new Headers(loaded, row, whole);
  const gone: number[] = [];
  for (const [index, mask] of row.masks.entries()) {
    if (mask === null) continue;
    const place = whole.places[index];
    if (place === undefined || place.to === place.from) {
      if (mask === 1) gone.push(index);
      continue;
    }
    const from = headers.partOf(index);
    own({ owner, encoded: whole.encoded }, { from, to: place.to }, index);
  }
  const warnings = [...headers.warnings()];
  if (gone.length > 0)
    warnings.push(
      `The template leaves out ${messageList(gone)}, which should train. Nothing of it is learnt.`,
    );
  return { owner, warnings };
}
