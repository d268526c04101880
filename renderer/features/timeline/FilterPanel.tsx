import type { StepQuery } from '@shared/contract/step-query';
import { stepMarks } from '@shared/labels/labels';
import { useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { CheckLine, TextField } from '../../components/Field';
import { useNewest } from '../../state/answers';
import { setFilter, useFilter } from '../../state/rows/filter';
import { toggleFolding, toggleGrouped, useGrouping } from '../../state/rows/grouping';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';

/** A text is looked for when the typing has rested this long, ms. */
const REST = 250;
/** Values of a facet that are listed at once. */
const LISTED = 6;

type ListField = 'label' | 'source' | 'marks' | 'kind' | 'rule' | 'tool' | 'computer';

export interface FilterPanelProps {
  onClose: () => void;
  /** The focus has gone elsewhere. */
  onLeave: () => void;
}

/** All filters of the timeline, with what each would show. What is chosen holds at once. */
export function FilterPanel({ onClose, onLeave }: FilterPanelProps) {
  const text = useText();
  const words = text.filter;
  const run = useTimeline((state) => state.run);
  const query = useFilter((state) => state.query);
  const answer = useNewest('timeline.facets', run === null ? null : { run });
  const facets = answer !== null && answer.input.run === run ? answer.value : null;
  const { grouped, folding } = useGrouping();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    panel.current?.querySelector<HTMLElement>('input')?.focus();
  }, []);

  const set = (change: Partial<StepQuery>): void => setFilter({ ...useFilter.getState().query, ...change });
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={words.title}
      className="filter-panel"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
      onBlur={(event) => {
        // The focus went on to another part of the window, not to nothing.
        const to = event.relatedTarget;
        if (to === null || event.currentTarget.contains(to)) return;
        // The button that opened it closes it by itself.
        if (to.closest('.filter-button') === null) onLeave();
      }}
    >
      <div className="filter-head">
        <b>{words.title}</b>
        <span className="space" />
        <Button small look="ghost" onClick={() => setFilter({})}>
          {words.clear}
        </Button>
        <IconButton small icon="close" label={words.close} onClick={onClose} />
      </div>
      <div className="filter-body">
        <Choices
          field="label"
          title={words.label}
          values={(['train', 'mask', 'undecided'] as const).map((value) => ({
            value,
            name: text.labels[value],
          }))}
        />
        <Choices
          field="source"
          title={words.source}
          values={(['adjudication', 'human', 'judge', 'rule', 'none'] as const).map((value) => ({
            value,
            name: words.sourceName(value),
          }))}
        />
        <Choices
          field="marks"
          title={words.marks}
          values={stepMarks.map((value) => ({ value, name: words.markName(value) }))}
        />
        <Choices
          field="kind"
          title={words.kind}
          values={(['act', 'think', 'null', 'summary'] as const).map((value) => ({
            value,
            name: words.kindName(value),
          }))}
        />
        <fieldset className="filter-set">
          <legend>{words.things}</legend>
          <CheckLine
            label={words.error}
            checked={query.error === true}
            onChange={(on) => set({ error: on ? true : undefined })}
          />
          <CheckLine
            label={words.hint}
            checked={query.hint === true}
            onChange={(on) => set({ hint: on ? true : undefined })}
          />
        </fieldset>
        <Choices field="rule" title={words.rule} values={named(facets?.rules, text.labels.ruleName)} />
        <Choices
          field="tool"
          title={words.tool}
          values={named(facets?.tools, (tool) => (tool === '' ? words.noTool : tool))}
        />
        <Choices
          field="computer"
          title={words.computer}
          values={named(facets?.computers, (name) => (name === '' ? words.noComputer : name))}
        />
        <TextLine label={words.file} hint={words.fileText} field="file" />
        <TextLine label={words.text} hint={words.textText} field="text" />
        <fieldset className="filter-set">
          <legend>{words.view}</legend>
          <CheckLine label={text.timeline.grouped} checked={grouped} onChange={toggleGrouped} />
          <CheckLine label={text.timeline.folded} checked={folding} onChange={toggleFolding} />
        </fieldset>
      </div>
    </div>
  );
}

interface Choice {
  value: string;
  name: string;
  count?: number;
}

function named(
  values: readonly { value: string; count: number }[] | undefined,
  name: (value: string) => string,
): Choice[] {
  return (values ?? []).map(({ value, count }) => ({ value, count, name: name(value) }));
}

/** Boxes of one field; of a long list the first few, the chosen ones and a button for the rest. */
function Choices({ field, title, values }: { field: ListField; title: string; values: readonly Choice[] }) {
  const text = useText();
  const { format } = text.common;
  const chosen: readonly string[] = useFilter((state) => state.query[field]) ?? [];
  const [whole, setWhole] = useState(false);
  if (values.length === 0) return null;
  const shown = whole
    ? values
    : values.filter(({ value }, index) => index < LISTED || chosen.includes(value));
  return (
    <fieldset className="filter-set">
      <legend>{title}</legend>
      {shown.map(({ value, name, count }) => (
        <CheckLine
          key={value}
          label={name}
          {...(count === undefined ? {} : { help: format.count(count) })}
          checked={chosen.includes(value)}
          onChange={(on) => choose(field, on ? [...chosen, value] : chosen.filter((one) => one !== value))}
        />
      ))}
      {shown.length < values.length && (
        <Button small look="ghost" onClick={() => setWhole(true)}>
          {text.filter.more(format.count(values.length - shown.length))}
        </Button>
      )}
    </fieldset>
  );
}

function choose(field: ListField, values: readonly string[]): void {
  const { [field]: _, ...rest } = useFilter.getState().query;
  // What the boxes offer is what the schema names; main parses it again.
  setFilter(values.length === 0 ? rest : ({ ...rest, [field]: values } as StepQuery));
}

function TextLine({ label, hint, field }: { label: string; hint: string; field: 'file' | 'text' }) {
  const held = useFilter((state) => state.query[field]) ?? '';
  const id = useId();
  const [typed, setTyped] = useState(held);
  useEffect(() => setTyped(held), [held]);
  useEffect(() => {
    if (typed.trim() === held) return;
    const timer = setTimeout(() => {
      const { [field]: _, ...rest } = useFilter.getState().query;
      const wanted = typed.trim();
      setFilter(wanted === '' ? rest : { ...rest, [field]: wanted });
    }, REST);
    return () => clearTimeout(timer);
  }, [typed, held, field]);
  return (
    <div className="filter-line">
      <label htmlFor={id}>{label}</label>
      <TextField
        id={id}
        value={typed}
        placeholder={hint}
        maxLength={400}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}
