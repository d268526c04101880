import { presetReasoning, type RowReasoning } from '@shared/context/trajectory';
import type { ExportJob } from '@shared/contract/export-views';
import { useEffect, useState } from 'react';
import { call, listen } from '../../api';
import { Button } from '../../components/Button';
import { FormLine, Select } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { useNewest } from '../../state/answers';
import { openRun, useRuns } from '../../state/run/runs';
import { moveCursor } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { setMode } from '../../state/view';
import { useText } from '../../text/language';
import { ExportCounts } from './ExportCounts';
import './export.css';

export interface ExportViewProps {
  run: string | null;
}

type Scope = 'this' | 'all';
type Undecided = 'refuse' | 'train' | 'mask';
type Preset = 'default' | 'apollo';
type NoTools = 'refuse' | 'allow';

/** What a dataset would hold, by reason, before it is written; undecided steps stop it unless waived by name. */
export function ExportView({ run }: ExportViewProps) {
  const words = useText();
  const text = words.exporting;
  const list = useRuns((state) => state.list);
  const [scope, setScope] = useState<Scope>(run === null ? 'all' : 'this');
  const [undecided, setUndecided] = useState<Undecided>('refuse');
  const [preset, setPreset] = useState<Preset>('default');
  const [result, setResult] = useState<ExportJob | null>(null);
  const [writing, setWriting] = useState(false);
  const written = result?.result ?? null;
  useEffect(
    () => listen('export.progress', ({ job }) => setResult((known) => (known?.id === job.id ? job : known))),
    [],
  );
  const runs = scope === 'this' && run !== null ? [run] : [];
  const [noTools, setNoTools] = useState<NoTools>('refuse');
  const [chosen, setChosen] = useState<RowReasoning | null>(null);
  const reasoning = chosen ?? presetReasoning(preset);
  const input = { runs, undecided, preset, noTools, reasoning };
  const labels = list
    .map((each) => `${each.id}:${each.seq}:${each.labels.train}:${each.labels.mask}`)
    .join(' ');
  const preview = useNewest('export.preview', input, labels)?.value ?? null;
  const open = preview?.undecided ?? [];
  const openSteps = open.reduce((sum, each) => sum + each.total, 0);
  const stopped = undecided === 'refuse' && openSteps > 0;
  const bare = (preview?.noTools ?? []).reduce((sum, { rows }) => sum + rows, 0);
  const toolless = noTools === 'refuse' && bare > 0;
  const empty = preview !== null && preview.rows === 0;

  const write = () =>
    attempt(async () => {
      setWriting(true);
      try {
        setResult(await call('export.start', input));
      } finally {
        setWriting(false);
      }
    });
  const decide = () =>
    attempt(async () => {
      const first = open[0];
      if (first === undefined) return;
      await openRun(first.run);
      setMode('review');
      moveCursor(first.steps[0] ?? 1);
    });

  return (
    <section className="export" aria-label={text.title}>
      <div className="export-settings">
        <header className="pane-head">
          <h2>{text.title}</h2>
        </header>
        <div className="export-form">
          <FormLine label={text.runs}>
            {({ id }) => (
              <Select<Scope>
                id={id}
                value={scope}
                options={[
                  { value: 'this', label: text.thisRun, disabled: run === null },
                  { value: 'all', label: text.allRuns(list.length) },
                ]}
                onChoose={setScope}
              />
            )}
          </FormLine>
          <FormLine label={text.undecided} help={text.undecidedHelp}>
            {({ id, describedBy }) => (
              <Select<Undecided>
                id={id}
                aria-describedby={describedBy}
                value={undecided}
                options={[
                  { value: 'refuse', label: text.refuse },
                  { value: 'train', label: text.waiveTrain },
                  { value: 'mask', label: text.waiveMask },
                ]}
                onChoose={setUndecided}
              />
            )}
          </FormLine>
          {bare > 0 && (
            <FormLine label={text.noTools} help={text.undecidedHelp}>
              {({ id, describedBy }) => (
                <Select<NoTools>
                  id={id}
                  aria-describedby={describedBy}
                  value={noTools}
                  options={[
                    { value: 'refuse', label: text.refuse },
                    { value: 'allow', label: text.allowNoTools },
                  ]}
                  onChoose={setNoTools}
                />
              )}
            </FormLine>
          )}
          <FormLine label={text.preset}>
            {({ id }) => (
              <Select<Preset>
                id={id}
                value={preset}
                options={[
                  { value: 'default', label: text.presetDefault },
                  { value: 'apollo', label: text.presetApollo },
                ]}
                onChoose={setPreset}
              />
            )}
          </FormLine>
          <FormLine label={text.reasoning} help={text.reasoningHelp[reasoning]}>
            {({ id, describedBy }) => (
              <Select<RowReasoning>
                id={id}
                aria-describedby={describedBy}
                value={reasoning}
                options={[
                  { value: 'as-sent', label: text.reasoningAsSent },
                  { value: 'drop', label: text.reasoningDrop },
                  { value: 'keep', label: text.reasoningKeep },
                ]}
                onChoose={setChosen}
              />
            )}
          </FormLine>
          <FormLine label={text.format}>{() => <span className="text-12">{text.slime}</span>}</FormLine>
        </div>
        <span className="space" />
        <footer className="export-foot">
          {stopped && <Button onClick={decide}>{text.decide(openSteps)}</Button>}
          <span className="space" />
          <Button
            look="primary"
            disabled={stopped || toolless || empty || writing || preview === null}
            onClick={write}
          >
            {writing ? text.writing : text.write}
          </Button>
        </footer>
        <p className="export-why text-12 quiet">
          {stopped ? text.stopped(openSteps) : toolless ? text.toolless(bare) : empty ? text.empty : ''}
        </p>
      </div>
      <div className="export-preview">
        {preview !== null && (
          <ExportCounts preview={preview} undecidedSteps={openSteps} waived={undecided !== 'refuse'} />
        )}
        {written !== null && (
          <section className="export-result" aria-label={text.written}>
            <p role="status">
              <Icon name="check" /> <b>{text.writtenTo(written.folder)}</b>
            </p>
            <p className="text-12 quiet">{text.snapshot(written.snapshot)}</p>
            <ul className="mono-12">
              {written.files.map((file) => (
                <li
                  key={file.path}
                >{`${file.path}  ${words.common.format.bytes(file.bytes)}  ${file.sha256.slice(0, 12)}…`}</li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </section>
  );
}
