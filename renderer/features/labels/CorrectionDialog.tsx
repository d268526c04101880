import type { StepDetail } from '@shared/contract/views';
import type { Correction } from '@shared/log/annotations';
import type { Tool } from '@shared/log/event-parts';
import { useState } from 'react';
import { ActionDialog } from '../../components/ActionDialog';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { FormLine, Select, TextArea, TextField } from '../../components/Field';
import { useAsked } from '../../state/answers';
import { useDetail } from '../../state/run/detail';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import {
  type ArgumentProblem,
  argumentProblems,
  blocksSaving,
  closeCorrection,
  draftOf,
  saveCorrection,
} from './correction';
import './labels.css';

/** The action as it was on the left, as it should have been on the right. */
export function CorrectionDialog({ run, step }: { run: string; step: number }) {
  const text = useText();
  const detail = useDetail(run, step);
  if (detail !== undefined) return <Editor run={run} step={step} detail={detail} />;
  return (
    <Dialog title={text.correction.title(step)} closeLabel={text.common.cancel} onClose={closeCorrection}>
      <p className="quiet">{text.correction.loading}</p>
    </Dialog>
  );
}

/** The actions that were offered to the model at this step; null while they are read, empty when they cannot be. */
function useOffered(run: string, step: number): Tool[] | null {
  const { value, failure } = useAsked('step.prompt', { run, step });
  // A step of another system has no exact prompt: its action is then named by hand.
  return failure === null ? (value?.tools ?? null) : [];
}

function Editor({ run, step, detail }: { run: string; step: number; detail: StepDetail }) {
  const text = useText();
  const words = text.correction;
  const me = useSettings((state) => state.settings?.annotator.uuid);
  const [draft, setDraft] = useState<Correction>(() => draftOf(detail, me));
  const tools = useOffered(run, step);
  const own = detail.labels.corrections.some(({ author }) => author.uuid === me);
  const tool = tools?.find((one) => one.function.name === draft.call.name);
  const problems = argumentProblems(draft.call.arguments, tool);
  const stuck = blocksSaving(problems) || draft.call.name.trim() === '';
  const change = (part: Partial<Correction['call']>) =>
    setDraft({ ...draft, call: { ...draft.call, ...part } });

  function save(): void {
    if (stuck) return;
    closeCorrection();
    attempt(() =>
      saveCorrection(run, step, { ...draft, call: { ...draft.call, name: draft.call.name.trim() } }),
    );
  }
  function withdraw(): void {
    closeCorrection();
    attempt(() => saveCorrection(run, step, null));
  }

  return (
    <ActionDialog
      title={words.title(step)}
      width="wide"
      onClose={closeCorrection}
      label={words.save}
      disabled={stuck}
      keys={<CommandKeys command="hint.queue" />}
      note={own && <Button onClick={withdraw}>{words.withdraw}</Button>}
      onDo={save}
    >
      <p className="soft dialog-lead">{words.lead}</p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one key for the whole form */}
      <div
        className="correction"
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      >
        <Original detail={detail} />
        <section aria-label={words.right}>
          <h3>{words.right}</h3>
          <FormLine label={words.thought}>
            {({ id }) => (
              <TextArea
                id={id}
                data-autofocus
                rows={6}
                maxLength={100_000}
                value={draft.text}
                onChange={(event) => setDraft({ ...draft, text: event.target.value })}
              />
            )}
          </FormLine>
          <FormLine label={words.tool} {...(tools === null ? { help: words.loading } : {})}>
            {({ id, describedBy }) => (
              <ToolField
                id={id}
                describedBy={describedBy}
                tools={tools ?? []}
                name={draft.call.name}
                onChoose={(name) => change({ name })}
              />
            )}
          </FormLine>
          <FormLine label={words.arguments} error={blocksSaving(problems) ? says(problems, text) : null}>
            {({ id, describedBy, invalid }) => (
              <TextArea
                id={id}
                className="mono-12"
                rows={8}
                maxLength={1_000_000}
                spellCheck={false}
                aria-describedby={describedBy}
                aria-invalid={invalid}
                value={draft.call.arguments}
                onChange={(event) => change({ arguments: event.target.value })}
              />
            )}
          </FormLine>
          {!blocksSaving(problems) && (
            <p className="text-12 quiet" role="status">
              {problems.length > 0 ? says(problems, text) : tool === undefined ? words.unchecked : words.fine}
            </p>
          )}
          <FormLine label={words.note}>
            {({ id }) => (
              <TextArea
                id={id}
                rows={2}
                maxLength={10_000}
                placeholder={words.notePlaceholder}
                value={draft.note}
                onChange={(event) => setDraft({ ...draft, note: event.target.value })}
              />
            )}
          </FormLine>
        </section>
      </div>
    </ActionDialog>
  );
}

function Original({ detail }: { detail: StepDetail }) {
  const text = useText();
  const words = text.correction;
  return (
    <section aria-label={words.original}>
      <h3>{words.original}</h3>
      <p className="stack-text">{detail.text === '' ? words.noThought : detail.text}</p>
      {detail.observations.length === 0 && <p className="quiet">{words.noTool}</p>}
      {detail.observations.map((seen) => (
        <pre key={seen.callId} className="mono-12 stack-call">
          {seen.name} {seen.rawArguments}
        </pre>
      ))}
    </section>
  );
}

interface ToolFieldProps {
  id: string;
  describedBy: string | undefined;
  tools: readonly Tool[];
  name: string;
  onChoose: (name: string) => void;
}

/** One of the offered actions; a name by hand where they are not known. */
function ToolField({ id, describedBy, tools, name, onChoose }: ToolFieldProps) {
  if (tools.length === 0) {
    return (
      <TextField
        id={id}
        aria-describedby={describedBy}
        maxLength={80}
        value={name}
        onChange={(event) => onChoose(event.target.value)}
      />
    );
  }
  const names = tools.map((tool) => tool.function.name);
  const all = names.includes(name) ? names : [name, ...names];
  return (
    <Select
      id={id}
      aria-describedby={describedBy}
      value={name}
      options={all.map((value) => ({ value, label: value }))}
      onChoose={onChoose}
    />
  );
}

function says(problems: readonly ArgumentProblem[], text: Text): string {
  return problems.map((problem) => sayProblem(problem, text.correction)).join(' ');
}

function sayProblem(problem: ArgumentProblem, words: Text['correction']): string {
  switch (problem.kind) {
    case 'json':
      return words.json(problem.line, problem.message);
    case 'shape':
      return words.shape;
    case 'missing':
      return words.missing(problem.names.join(', '));
    case 'unknown':
      return words.unknown(problem.names.join(', '));
    case 'type':
      return words.type(problem.name, problem.wanted);
  }
}
