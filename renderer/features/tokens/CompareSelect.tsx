import { useText } from '../../text/language';
import { type Comparison, useTokens } from './token-state';

/** Something that the row can be compared with. */
export interface CompareChoice {
  id: string;
  label: string;
  group: 'variants' | 'targets';
  what: Comparison;
}

/** Chooses what the row is shown beside: another variant, or another target. */
export function CompareSelect({ choices }: { choices: readonly CompareChoice[] }) {
  const text = useText().tokens;
  const comparison = useTokens((state) => state.comparison);
  const chosen = choices.find(({ what }) => sameAs(what, comparison))?.id ?? '';
  const group = (name: CompareChoice['group'], label: string) => {
    const own = choices.filter((choice) => choice.group === name);
    if (own.length === 0) return null;
    return (
      <optgroup label={label}>
        {own.map(({ id, label: name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    );
  };
  return (
    <select
      className="field select select-small tokens-compare"
      aria-label={text.compare}
      data-on={chosen !== ''}
      value={chosen}
      onChange={(event) =>
        useTokens.setState({
          comparison: choices.find(({ id }) => id === event.target.value)?.what ?? null,
        })
      }
    >
      <option value="">{text.compareNone}</option>
      {group('variants', text.compareVariants)}
      {group('targets', text.compareTargets)}
    </select>
  );
}

function sameAs(one: Comparison, other: Comparison | null): boolean {
  return other !== null && JSON.stringify(one) === JSON.stringify(other);
}
