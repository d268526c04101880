import type { TokenView } from '@shared/contract/export-views';
import { type ReactNode, useMemo } from 'react';
import { useText } from '../../text/language';
import { lossOf } from './token-words';

/** What the marks mean, and how many tokens of the row have each. */
export function TokenLegend({ view, children }: { view: TokenView; children: ReactNode }) {
  const words = useText();
  const counts = useMemo(() => {
    const found = { trained: 0, masked: 0, carried: 0, context: 0 };
    for (const letter of view.losses) found[lossOf(letter)] += 1;
    return found;
  }, [view]);
  return (
    <div className="tokens-legend">
      <ul aria-label={words.tokens.legend}>
        {(['trained', 'masked', 'carried', 'context'] as const).map((loss) => (
          <li key={loss} className="text-12">
            <span className={`token token-${loss} mono-12`}>{words.tokens.loss[loss]}</span>{' '}
            <span className="tabular quiet" data-count={loss}>
              {words.common.format.count(counts[loss])}
            </span>
          </li>
        ))}
      </ul>
      <span className="space" />
      {children}
    </div>
  );
}
