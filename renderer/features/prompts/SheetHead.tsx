import type { PromptView } from '@shared/contract/computers';
import { useText } from '../../text/language';

export interface SheetProps {
  prompt: PromptView;
  /** How many questions wait, this one included. */
  total: number;
}

/** Right of a sheet's title: how many questions wait. */
export function SheetQueue({ total }: { total: number }) {
  const text = useText().hostPrompts;
  return total > 1 ? <span className="chip">{text.queue(total)}</span> : null;
}

/** Which host asks: a jump host is named with where it leads. */
export function SheetHost({ prompt }: { prompt: PromptView }) {
  const text = useText().hostPrompts;
  if (prompt.via === null) return null;
  return <p className="soft">{text.via(prompt.via, prompt.alias)}</p>;
}

/** What the sheet calls the host that asks: the jump host where it is one. */
export function hostName(prompt: PromptView): string {
  return prompt.via ?? prompt.alias;
}
