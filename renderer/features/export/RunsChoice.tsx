import type { RunSummary } from '@shared/contract/views';
import { useState } from 'react';
import { ActionDialog } from '../../components/ActionDialog';
import { Button } from '../../components/Button';
import { FormLine, Select, TextField } from '../../components/Field';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { changeDraft, type DraftProblems, type Scope, useExport } from './export-state';

export interface RunsChoiceProps {
  run: string | null;
  problems: DraftProblems;
}

/** Which runs a dataset is made from: the open one, all, or some that are ticked. */
export function RunsChoice({ run, problems }: RunsChoiceProps) {
  const text = useText().exporting;
  const list = useRuns((state) => state.list);
  const { scope, chosen } = useExport((state) => state.draft);
  const [choosing, setChoosing] = useState(false);
  const shown = run === null && scope === 'this' ? 'all' : scope;
  return (
    <>
      <FormLine label={text.runs} error={problems.chosen ? text.noneChosen : null}>
        {({ id, describedBy }) => (
          <Select<Scope>
            id={id}
            aria-describedby={describedBy}
            value={shown}
            options={[
              { value: 'this', label: text.thisRun, disabled: run === null },
              { value: 'all', label: text.allRuns(list.length) },
              {
                value: 'chosen',
                label: chosen.length === 0 ? text.chooseRuns : text.chosenRuns(chosen.length),
              },
            ]}
            onChoose={(next) => {
              changeDraft({ scope: next });
              if (next === 'chosen' && chosen.length === 0) setChoosing(true);
            }}
          />
        )}
      </FormLine>
      {shown === 'chosen' && (
        <div className="export-under">
          <Button look="ghost" small onClick={() => setChoosing(true)}>
            {text.changeRuns}
          </Button>
        </div>
      )}
      {choosing && <RunsDialog list={list} chosen={chosen} onClose={() => setChoosing(false)} />}
    </>
  );
}

interface RunsDialogProps {
  list: readonly RunSummary[];
  chosen: readonly string[];
  onClose: () => void;
}

function RunsDialog({ list, chosen, onClose }: RunsDialogProps) {
  const words = useText();
  const text = words.exporting;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set(chosen));
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const found = list.filter(({ title, task }) =>
    `${title} ${task.id} ${task.title}`.toLowerCase().includes(wanted),
  );
  const all = found.length > 0 && found.every(({ id }) => ticked.has(id));
  const tick = (ids: readonly string[], on: boolean) => {
    const next = new Set(ticked);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setTicked(next);
  };
  return (
    <ActionDialog
      title={text.runsTitle}
      closeLabel={words.common.close}
      onClose={onClose}
      label={text.takeRuns(ticked.size)}
      disabled={ticked.size === 0}
      onDo={() => {
        const known = list.filter(({ id }) => ticked.has(id)).map(({ id }) => id);
        changeDraft({ scope: 'chosen', chosen: known });
        onClose();
      }}
    >
      <div className="export-runs-tools">
        <TextField
          type="search"
          data-autofocus
          aria-label={text.findRun}
          placeholder={text.findRun}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <Button
          small
          disabled={found.length === 0}
          onClick={() =>
            tick(
              found.map(({ id }) => id),
              !all,
            )
          }
        >
          {all ? text.tickNone : text.tickAll}
        </Button>
      </div>
      <ul className="export-runs">
        {found.map((run) => (
          <li key={run.id}>
            <label className="export-run">
              <input
                type="checkbox"
                className="checkbox"
                checked={ticked.has(run.id)}
                onChange={(event) => tick([run.id], event.target.checked)}
              />
              <span className="cut">
                {run.title} <span className="quiet">{run.task.id}</span>
              </span>
              <span className="text-12 quiet tabular">
                {text.runFacts(
                  words.common.format.count(run.steps),
                  words.common.format.score(run.scores.final ?? run.scores.last ?? null),
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet text-12">{text.noRunFound}</p>}
    </ActionDialog>
  );
}
