import type { ExportVariant } from '@shared/contract/export-request';
import { exportFormats, exportVariants } from '@shared/contract/export-request';
import { useMemo, useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { Splitter } from '../../components/Splitter';
import { Segmented } from '../../components/Tabs';
import { useAsked } from '../../state/answers';
import { toastFailure } from '../../state/toasts';
import { useText } from '../../text/language';
import { useSplit } from '../panes/splits';
import type { CompareChoice } from '../tokens/CompareSelect';
import { openStep } from '../tokens/open-step';
import { RowPages } from '../tokens/row-pages';
import { TokenPane } from '../tokens/TokenPane';
import { type Comparison, useTokens } from '../tokens/token-state';
import { chooseTokenizer, useTokenizer } from '../tokens/tokenizer';
import { ExportCounts } from './ExportCounts';
import type { OptionsInput } from './export-calls';
import { changeDraft, useExport } from './export-state';
import { type Preview, useSettled } from './use-preview';

/** Counts above, the rows token by token below. */
export function ExportPreview({ preview }: { preview: Preview }) {
  const words = useText();
  const text = words.exporting;
  const { variants, shown, undecided } = useExport((state) => state.draft);
  const [height, setHeight] = useSplit('export', 'counts', 272);
  if (preview.failure !== null) {
    return (
      <div className="export-preview">
        <Empty icon="warning" title={text.nothing} text={preview.failure.message}>
          {preview.failure.code !== 'export_empty' && (
            <Button onClick={preview.again}>{text.countAgain}</Button>
          )}
        </Empty>
      </div>
    );
  }
  if (preview.value === null || preview.shown === null) {
    return (
      <div className="export-preview" aria-busy="true">
        <p className="export-wait text-12 quiet">
          {preview.problems.chosen ? text.noneChosen : text.counting}
        </p>
      </div>
    );
  }
  return (
    <div className="export-preview" aria-busy={preview.waiting}>
      <section
        className="export-counts"
        style={{ maxHeight: height }}
        aria-label={text.byReason}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by keyboard
        tabIndex={0}
      >
        <ExportCounts
          preview={preview.value}
          counts={preview.shown}
          undecidedSteps={preview.undecidedSteps}
          waived={undecided !== 'refuse' || shown !== 'all'}
          head={
            variants.length > 1 && (
              <Segmented<ExportVariant>
                label={text.variants}
                items={variants.map((variant) => ({ id: variant, label: text.variantName[variant] }))}
                chosen={shown}
                onChoose={(variant) => changeDraft({ shown: variant })}
              />
            )
          }
        />
      </section>
      <Splitter
        direction="horizontal"
        label={text.resizeCounts}
        size={height}
        min={72}
        max={640}
        onResize={setHeight}
      />
      <Tokens preview={preview} />
    </div>
  );
}

/** What of the options decides how a row looks to a trainer. */
function rowOptions(options: OptionsInput, variant: ExportVariant): OptionsInput {
  const { compression: _packed, split: _split, ...rest } = options;
  return { ...rest, variants: [variant], undecided: rest.undecided === 'mask' ? 'mask' : 'train' };
}

/** A row that is not looked at for so long is passed by, ms. */
const PASSING = 120;

function Tokens({ preview }: { preview: Preview }) {
  const words = useText();
  const text = words.exporting;
  const { variants, shown, format } = useExport((state) => state.draft);
  const index = useTokens((state) => state.row);
  const comparison = useTokens((state) => state.comparison);
  const tokenizer = useTokenizer();
  const options = useSettled(rowOptions(preview.options, shown));
  const rows = useRows(options, shown, preview.version);
  const row = rows.at(index);
  // Rows that are passed on the way to another are not rendered.
  const name = useSettled(
    row === undefined ? null : { run: row.run, segment: row.segment, kind: row.kind },
    PASSING,
  );
  const version = `${tokenizer.value?.id ?? ''} ${preview.version}`;
  const asks = tokenizer.value !== null && name !== null;
  const one = useAsked('export.tokens', asks ? { options, variant: shown, row: name } : null, version);
  const beside = comparison === null ? null : other(options, shown, comparison);
  const two = useAsked('export.tokens', asks && beside !== null ? { ...beside, row: name } : null, version);
  const choices: CompareChoice[] = [
    ...(['all', 'rules', 'judge', 'human', 'unmasked'] as const)
      .filter((variant) => variant !== shown)
      .map((variant) => ({
        id: `variant ${variant}`,
        label: text.variantName[variant],
        group: 'variants' as const,
        what: { variant },
      })),
    ...exportFormats
      .filter((each) => each !== format && text.targetName[each] !== undefined)
      .map((each) => ({
        id: `target ${each}`,
        label: text.targetName[each],
        group: 'targets' as const,
        what: { format: each },
      })),
  ];
  const called = (what: Comparison | null) =>
    what !== null && 'format' in what
      ? text.targetName[what.format]
      : text.variantName[what === null ? shown : what.variant];
  return (
    <TokenPane
      view={one.value}
      failure={one.failure}
      again={one.again}
      other={comparison === null ? null : { view: two.value, failure: two.failure, name: called(comparison) }}
      name={comparison !== null && 'format' in comparison ? text.targetName[format] : text.variantName[shown]}
      tokenizer={tokenizer.value}
      tokenizerFailure={tokenizer.failure}
      onChooseTokenizer={chooseTokenizer}
      rows={rows}
      choices={variants.length === 0 ? [] : choices}
      onOpenStep={openStep}
    />
  );
}

function other(
  options: OptionsInput,
  shown: ExportVariant,
  what: Comparison,
): { options: OptionsInput; variant: ExportVariant } {
  return 'variant' in what
    ? { options: { ...options, variants: [what.variant] }, variant: what.variant }
    : { options: { ...options, format: what.format, arguments: 'auto' }, variant: shown };
}

function useRows(options: OptionsInput, variant: ExportVariant, version: string): RowPages {
  const [, redraw] = useState(0);
  const key = JSON.stringify([options, variant, version]);
  return useMemo(() => {
    const [asked, which] = JSON.parse(key) as [OptionsInput, ExportVariant];
    return new RowPages({
      load: (from, limit) =>
        call('export.rows', {
          options: { ...asked, variants: [...exportVariants] },
          variant: which,
          from,
          limit,
        }),
      changed: () => redraw((n) => n + 1),
      failed: toastFailure,
    });
  }, [key]);
}
