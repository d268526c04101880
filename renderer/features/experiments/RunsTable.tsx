import type { ExperimentRun } from '@shared/experiments/experiment-run';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { ColumnHeads } from '../../components/ColumnHeads';
import { openRun } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { setMode } from '../../state/view';
import { useText } from '../../text/language';
import { compareRuns } from './experiments';

const ROW = 28;
const HOUR = 3_600_000;

/** Every run of the experiment; two of them can be set side by side. */
export function RunsTable({ runs }: { runs: readonly ExperimentRun[] }) {
  const text = useText().experiments;
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const box = useRef<HTMLElement>(null);
  const lines = useVirtualizer({
    count: runs.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const chosen = ticked.filter((id) => runs.some(({ run }) => run === id));
  const [a, b] = chosen;
  // The third one ticked takes the place of the first.
  const tick = (run: string, on: boolean) =>
    setTicked(on ? [...chosen, run].slice(-2) : chosen.filter((id) => id !== run));
  const shown = lines.getVirtualItems();
  const before = shown[0]?.start ?? 0;
  const after = lines.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <div className="experiment-part">
      <header className="experiment-part-head">
        <h3>{text.runsTitle}</h3>
        <span className="text-12 quiet">{text.compareHelp}</span>
        <span className="space" />
        <Button
          small
          disabled={a === undefined || b === undefined}
          onClick={() => a !== undefined && b !== undefined && compareRuns({ a, b })}
        >
          {text.compareChosen}
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard */}
      <section ref={box} className="experiment-runs" tabIndex={0} aria-label={text.runsTitle}>
        <table className="experiment-table" aria-rowcount={runs.length + 1} data-testid="runs">
          <ColumnHeads
            heads={[
              ...[text.run, text.arm, text.task, text.measures.final, text.measures.best],
              ...[text.measures.hours, text.measures.cost, text.steps, text.hints],
            ]}
          >
            <th scope="col">
              <span className="hidden-visually">{text.compareChosen}</span>
            </th>
          </ColumnHeads>
          <tbody>
            {before > 0 && <tr style={{ height: before }} />}
            {shown.map(({ index }) => {
              const run = runs[index];
              return run === undefined ? null : (
                <RunRow
                  key={run.run}
                  run={run}
                  row={index + 2}
                  ticked={chosen.includes(run.run)}
                  onTick={(on) => tick(run.run, on)}
                />
              );
            })}
            {after > 0 && <tr style={{ height: after }} />}
          </tbody>
        </table>
      </section>
    </div>
  );
}

interface RunRowProps {
  run: ExperimentRun;
  row: number;
  ticked: boolean;
  onTick: (on: boolean) => void;
}

function RunRow({ run, row, ticked, onTick }: RunRowProps) {
  const words = useText();
  const text = words.experiments;
  const { format } = words.common;
  const score = (value: number | null) => value?.toFixed(1) ?? '–';
  const task = run.task.title === '' ? run.task.id : run.task.title;
  const open = async () => {
    await openRun(run.run);
    setMode('review');
  };
  return (
    <tr aria-rowindex={row}>
      <td>
        <input
          type="checkbox"
          className="checkbox"
          checked={ticked}
          aria-label={text.compareRun(run.title)}
          onChange={(event) => onTick(event.target.checked)}
        />
      </td>
      <th scope="row" title={run.title}>
        <span className="row">
          <button type="button" className="link cut" onClick={() => attempt(open)}>
            {run.title}
          </button>
          {run.branch && <span className="quiet">{text.branch}</span>}
        </span>
      </th>
      <td className="cut" title={text.armName(run.arm)}>
        {text.armName(run.arm)}
      </td>
      <td className="cut" title={task}>
        {task}
      </td>
      <td>{run.ended ? score(run.final) : <span className="quiet">{text.notEnded}</span>}</td>
      <td>{score(run.best)}</td>
      <td>{(run.workingMs / HOUR).toFixed(1)}</td>
      <td>{run.cost === null ? words.common.unknown : format.money(run.cost)}</td>
      <td>{format.count(run.steps)}</td>
      <td>{format.count(run.hints.length)}</td>
    </tr>
  );
}
