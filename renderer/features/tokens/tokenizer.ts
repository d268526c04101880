import type { TokenizerView } from '@shared/contract/export-views';
import { call } from '../../api';
import { answers } from '../../state/answer-cache';
import { type Asked, useAsked } from '../../state/answers';
import { attempt } from '../../state/toasts';

/** The tokenizer that a person chose last; the main process remembers it. */
export function useTokenizer(): Asked<TokenizerView | null> {
  return useAsked('export.tokenizer', undefined);
}

/** Asks for another folder; whatever shows tokens follows. */
export function chooseTokenizer(): void {
  attempt(async () => {
    const chosen = await call('export.chooseTokenizer');
    if (chosen !== null) await answers.invalidateQueries({ queryKey: ['export.tokenizer'] });
  });
}
