import { useState } from 'react';
import { Button } from '../../components/Button';
import { FailureLine } from '../../components/FailureLine';
import { useAsked } from '../../state/answers';
import { showDataset } from '../../state/export-page';
import { useText } from '../../text/language';
import { Mask } from './DatasetDifferenceView';
import { folderName } from './DatasetState';
import './datasets.css';

/** Shown before the rest is asked for. */
const FIRST = 3;

/** Which datasets a step went into, and what it was to training there. Nothing where it went into none. */
export function StepDatasets({ run, step }: { run: string; step: number }) {
  const words = useText();
  const text = words.datasets;
  const [all, setAll] = useState(false);
  const { value, failure } = useAsked('datasets.forStep', { run, step });
  if (failure !== null) return <FailureLine failure={failure} />;
  if (value === null || value.length === 0) return null;
  const shown = all ? value : value.slice(0, FIRST);
  return (
    <section className="section step-datasets" aria-label={text.title} data-testid="step-datasets">
      <h3 className="section-name">{text.title}</h3>
      <div className="section-content">
        <ul className="text-12">
          {shown.map(({ dataset, variant, mask, reason, places }) => (
            <li key={`${dataset.id} ${variant}`}>
              <button type="button" className="link" onClick={() => showDataset(dataset.id)}>
                {text.stepIn(words.exporting.targetName[dataset.format], folderName(dataset.folder))}
              </button>
              {dataset.variants.length > 1 && <span>{words.exporting.variantName[variant]}</span>}
              <Mask mask={mask} reason={reason} />
              <span className="quiet tabular cut">
                {places[0] === undefined ? '' : text.place(places[0].file, places[0].from, places[0].to)}
              </span>
            </li>
          ))}
        </ul>
        {value.length > shown.length && (
          <Button look="ghost" small onClick={() => setAll(true)}>
            {text.moreDatasets(value.length - shown.length)}
          </Button>
        )}
      </div>
    </section>
  );
}
