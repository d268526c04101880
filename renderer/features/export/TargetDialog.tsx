import type { ExportFormat } from '@shared/contract/export-request';
import { exportTargets, targetTrainers } from '@shared/contract/export-targets';
import { useState } from 'react';
import { ActionDialog } from '../../components/ActionDialog';
import { useText } from '../../text/language';
import { chooseFormat, useExport } from './export-state';

const close = () => useExport.setState({ targets: false });

/** All targets by the trainer that reads them, with what each is for. */
export function TargetDialog() {
  const words = useText();
  const text = words.exporting;
  const [format, setFormat] = useState<ExportFormat>(useExport.getState().draft.format);
  const take = () => {
    chooseFormat(format);
    close();
  };
  return (
    <ActionDialog
      title={text.targets}
      width="wide"
      closeLabel={words.common.close}
      onClose={close}
      label={text.takeTarget(text.targetName[format])}
      onDo={take}
    >
      <div
        role="radiogroup"
        aria-label={text.targets}
        className="targets"
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          take();
        }}
      >
        {targetTrainers.map((trainer) => (
          <section key={trainer} className="target-group">
            <h3 className="sheet-group">{text.trainerName[trainer]}</h3>
            {exportTargets
              .filter((target) => target.trainer === trainer)
              .map((target) => (
                <label key={target.format} className="target" data-format={target.format}>
                  <input
                    type="radio"
                    name="target"
                    className="radio"
                    checked={target.format === format}
                    // The dialog gives its first field the focus; the chosen one is meant.
                    {...(target.format === format ? { 'data-autofocus': true } : {})}
                    onChange={() => setFormat(target.format)}
                    onDoubleClick={take}
                  />
                  <span>
                    <b className="medium">{text.targetName[target.format]}</b>
                    <span className="quiet text-12">{text.targetText[target.format]}</span>
                  </span>
                </label>
              ))}
          </section>
        ))}
      </div>
    </ActionDialog>
  );
}
