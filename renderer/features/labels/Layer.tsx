import type { ReactNode } from 'react';
import { useText } from '../../text/language';

export interface LayerProps {
  /** Whose pattern its edge shows; '' for none. */
  pattern: 'train' | 'mask' | '';
  who: string;
  wins?: boolean;
  children: ReactNode;
}

/** One opinion of the stack: its pattern, who speaks, what they say. The winner says so in words. */
export function Layer({ pattern, who, wins = false, children }: LayerProps) {
  const text = useText();
  return (
    <li className={`layer ${wins ? 'layer-wins' : ''}`}>
      <i className={`gutter ${pattern === '' ? '' : `gutter-${pattern}`}`} />
      <div className="layer-who">
        {who}
        {wins && <span className="chip">{text.labels.wins}</span>}
      </div>
      <div className="layer-body">{children}</div>
    </li>
  );
}
