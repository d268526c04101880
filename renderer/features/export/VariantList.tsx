import { exportVariants } from '@shared/contract/export-request';
import type { VariantCounts } from '@shared/contract/export-views';
import { useId } from 'react';
import { useText } from '../../text/language';
import { toggleVariant, useExport } from './export-state';

/** Whose opinions make the masks; every variant that is ticked is written, all from one snapshot of the labels. */
export function VariantList({ variants }: { variants: readonly VariantCounts[] }) {
  const words = useText();
  const text = words.exporting;
  const { format } = words.common;
  const chosen = useExport((state) => state.draft.variants);
  const id = useId();
  return (
    <fieldset className="export-variants" aria-labelledby={id}>
      <div className="export-section">
        <h3 id={id}>{text.variants}</h3>
        <span className="quiet">{text.variantsTrained}</span>
      </div>
      {exportVariants.map((variant) => {
        const counts = variants.find((each) => each.variant === variant);
        const last = chosen.length === 1 && chosen[0] === variant;
        return (
          <label key={variant} className="variant" data-variant={variant}>
            <input
              type="checkbox"
              className="checkbox"
              checked={chosen.includes(variant)}
              disabled={last}
              title={last ? text.variantLast : undefined}
              onChange={(event) => toggleVariant(variant, event.target.checked)}
            />
            <span>
              <span>{text.variantName[variant]}</span>
              <span className="quiet text-12">{text.variantText[variant]}</span>
            </span>
            <span
              className="quiet tabular"
              title={
                counts === undefined ? undefined : text.trainedTokens(format.count(counts.trainedTokens))
              }
            >
              {counts === undefined ? '' : format.compact(counts.trainedTokens)}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
