import type { AssignOrder, AssignPreview } from '@shared/contract/ipc/queue';
import type { Person } from '@shared/labels/review/queue-views';
import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { ColumnHeads } from '../../components/ColumnHeads';
import { CheckLine, FormLine, Select } from '../../components/Field';
import { LineField } from '../../components/LineField';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { BatchList } from './BatchList';
import { loadQueue } from './queue';

const shares = ['0', '0.1', '0.2', '0.3', '0.5', '1'] as const;

/** Hands out runs or their segments: what is written is what was previewed. */
export function AssignForm() {
  const text = useText();
  const words = text.queue;
  const { count } = text.common.format;
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const known = useAsked('queue.annotators', undefined).value ?? [];
  const [runs, setRuns] = useState<readonly string[]>(current === null ? [] : [current]);
  const [names, setNames] = useState('');
  const [by, setBy] = useState<AssignOrder['by']>('segment');
  const [overlap, setOverlap] = useState<string>('0.2');
  const [blind, setBlind] = useState<AssignOrder['blind']>('second');
  const [plan, setPlan] = useState<{ order: AssignOrder; preview: AssignPreview } | null>(null);
  const [batch, setBatch] = useState(0);
  const order: AssignOrder = {
    runs: [...runs],
    by,
    blind,
    overlap: Number(overlap),
    people: peopleOf(names, known),
  };
  const ready = runs.length > 0 && order.people.length > 0;
  const changed =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      setPlan(null);
    };
  return (
    <>
      <fieldset className="queue-runs" aria-label={words.runs}>
        <legend className="queue-legend" aria-hidden>
          {words.runs}
        </legend>
        {list.map((run) => (
          <CheckLine
            key={run.id}
            checked={runs.includes(run.id)}
            label={`${run.title}, ${text.common.steps(run.steps)}`}
            onChange={(on) =>
              changed(setRuns)(on ? [...runs, run.id] : runs.filter((other) => other !== run.id))
            }
          />
        ))}
      </fieldset>
      <LineField
        label={words.names}
        help={words.namesHelp + [...new Set(known.map(({ name }) => name))].join(', ')}
        value={names}
        onValue={changed(setNames)}
      />
      <FormLine label={words.by} help={words.runsHelp}>
        {({ id }) => (
          <Select
            id={id}
            value={by}
            options={[
              { value: 'segment', label: words.bySegment },
              { value: 'run', label: words.byRun },
            ]}
            onChoose={changed(setBy)}
          />
        )}
      </FormLine>
      <FormLine label={words.overlap}>
        {({ id }) => (
          <Select
            id={id}
            value={overlap}
            options={shares.map((value) => ({
              value: value as string,
              label:
                value === '0'
                  ? words.overlapNone
                  : value === '1'
                    ? words.overlapAll
                    : words.overlapShare(String(Number(value) * 100)),
            }))}
            onChoose={changed(setOverlap)}
          />
        )}
      </FormLine>
      <FormLine label={words.blindness} help={words.blindHelp}>
        {({ id }) => (
          <Select
            id={id}
            value={blind}
            options={[
              { value: 'none', label: words.blindNone },
              { value: 'second', label: words.blindSecond },
              { value: 'both', label: words.blindBoth },
            ]}
            onChoose={changed(setBlind)}
          />
        )}
      </FormLine>
      {plan !== null && <PlanView preview={plan.preview} />}
      <div className="queue-actions">
        <span className="space" />
        <Button
          disabled={!ready}
          onClick={() => attempt(async () => setPlan({ order, preview: await call('queue.plan', order) }))}
        >
          {words.preview}
        </Button>
        <Button
          look="primary"
          disabled={plan === null}
          onClick={() => {
            if (plan === null) return;
            attempt(async () => {
              await call('queue.assign', { ...plan.order, digest: plan.preview.digest });
              toast((words) => words.queue.assigned);
              setPlan(null);
              setBatch((n) => n + 1);
              await loadQueue();
            });
          }}
        >
          {words.assignNow(count(plan?.preview.steps ?? 0))}
        </Button>
      </div>
      <BatchList key={batch} />
    </>
  );
}

function PlanView({ preview }: { preview: AssignPreview }) {
  const text = useText();
  const words = text.queue;
  const { count } = text.common.format;
  return (
    <div data-testid="assign-plan">
      <table className="queue-table">
        <ColumnHeads heads={[words.personColumn, words.firstColumn, words.secondColumn, words.blindColumn]} />
        <tbody>
          {preview.people.map(({ person, first, second, blind }) => (
            <tr key={person.uuid}>
              <th scope="row">{person.name}</th>
              <td>{count(first)}</td>
              <td>{count(second)}</td>
              <td>{count(blind)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-12">
        {words.planSteps(
          count(preview.steps),
          count(preview.units),
          count(preview.overlapSteps),
          String(Math.round(preview.overlap * 100)),
        )}{' '}
        {preview.already > 0 && words.planAlready(count(preview.already))}
      </p>
    </div>
  );
}

/** Who is known by the name is meant; another name is somebody who has not spoken here yet. */
function peopleOf(names: string, known: readonly Person[]): Person[] {
  return [...new Set(names.split(/[,，、]/u).map((name) => name.trim()))]
    .filter((name) => name !== '')
    .map((name) => known.find((person) => person.name === name) ?? { uuid: `name:${name}`, name });
}
