import type { RunSummary } from '@shared/contract/views';
import { useState } from 'react';
import { call } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { FormLine, Select } from '../../components/Field';
import { refreshRun } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { attempt, toast } from '../../state/toasts';
import { openDialog } from '../../state/view';
import { useText } from '../../text/language';

/** Chooses whom the run's later steps ask. */
export function ModelDialog({ run, onClose }: { run: RunSummary; onClose: () => void }) {
  const text = useText();
  const words = text.runs;
  const { format } = text.common;
  const endpoints = useSettings((state) => state.settings?.endpoints) ?? [];
  const [name, setName] = useState(
    endpoints.find((each) => each.name !== run.endpoint)?.name ?? run.endpoint,
  );
  const chosen = endpoints.find((each) => each.name === name);
  const smaller = chosen !== undefined && chosen.contextTokens < run.tokens.context;

  function save(): void {
    onClose();
    attempt(async () => {
      await call('runs.setModel', { run: run.id, endpoint: name });
      toast((now) => now.runs.modelSaved(name));
      refreshRun(run.id);
    });
  }
  return (
    <ActionDialog
      title={words.modelTitle}
      width="small"
      onClose={onClose}
      label={words.saveModel}
      disabled={chosen === undefined || name === run.endpoint}
      onDo={save}
    >
      <p className="soft text-12 dialog-lead">{words.modelText}</p>
      {endpoints.length === 0 ? (
        <Empty icon="key" title={text.newRun.noModelTitle} text={text.newRun.noModelText}>
          <Button onClick={() => openDialog('settings')}>{text.newRun.openSettings}</Button>
        </Empty>
      ) : (
        <FormLine
          label={text.newRun.model}
          help={
            chosen === undefined
              ? undefined
              : smaller
                ? words.modelSmaller(format.compact(run.tokens.context), format.compact(chosen.contextTokens))
                : words.modelContext(format.compact(chosen.contextTokens))
          }
        >
          {({ id, describedBy }) => (
            <Select
              id={id}
              data-autofocus
              aria-describedby={describedBy}
              value={name}
              options={endpoints.map((each) => ({
                value: each.name,
                label:
                  each.name === run.endpoint
                    ? words.modelNow(`${each.name} (${each.model})`)
                    : `${each.name} (${each.model})`,
              }))}
              onChoose={setName}
            />
          )}
        </FormLine>
      )}
    </ActionDialog>
  );
}
