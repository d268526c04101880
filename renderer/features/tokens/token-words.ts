import type { TokenLoss, TokenMessage } from '@shared/contract/export-views';
import type { LabelState } from '../../components/LabelGlyph';
import type { Text } from '../../text/en';

/** The label state that a token's loss is drawn as. */
export const stateOf: Readonly<Record<TokenLoss, LabelState>> = {
  trained: 'train',
  masked: 'mask',
  carried: 'carried',
  context: 'none',
};

const letters: Readonly<Record<string, TokenLoss>> = { t: 'trained', m: 'masked', c: 'carried' };

/** The loss that a letter of `TokenView.losses` stands for. */
export function lossOf(letter: string | undefined): TokenLoss {
  return letters[letter ?? '.'] ?? 'context';
}

/** Who decided about a message, and why; null where nobody did. */
export function reasonOf(
  text: Text,
  { source, reason }: Pick<TokenMessage, 'source' | 'reason'>,
): string | null {
  if (source === undefined) return null;
  return text.exporting.reason(source, reason ?? '', text.labels.ruleName, text.labels.reasonName);
}
