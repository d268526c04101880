import type { ExportFilter } from '@shared/contract/export-request';
import { useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { TextField } from '../../components/Field';
import { Menu } from '../../components/Menu';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { changeDraft, useExport } from './export-state';
import {
  emptyLine,
  type FilterDraft,
  type FilterField,
  type FilterProblem,
  filterFields,
  isNameField,
  linesOf,
  type NameField,
  withName,
  withoutLine,
} from './filter-builder';
import { SmallField } from './SmallField';

export interface FilterLinesProps {
  problems: Partial<Record<FilterField, FilterProblem>>;
}

/** Which runs and rows are taken, a line each; a run or a row must pass every line. */
export function FilterLines({ problems }: FilterLinesProps) {
  const text = useText().exporting;
  const filter = useExport((state) => state.draft.filter);
  const [added, setAdded] = useState<FilterField | null>(null);
  const lines = linesOf(filter);
  const change = (next: FilterDraft) => changeDraft({ filter: next });
  return (
    <fieldset className="export-filter" aria-label={text.filter}>
      {lines.map((field) => (
        <div key={field} className="export-filter-line" data-field={field}>
          <div className="export-filter-name">
            <span>{text.filterName[field]}</span>
            <IconButton
              small
              icon="close"
              label={text.removeFilter(text.filterName[field])}
              onClick={() => change(withoutLine(filter, field))}
            />
          </div>
          <Line field={field} filter={filter} focus={added === field} onChange={change} />
          {problems[field] !== undefined && (
            <p className={problems[field] === 'empty' ? 'text-12 quiet' : 'form-error'} role="status">
              {text.filterProblem[problems[field]]}
            </p>
          )}
        </div>
      ))}
      <div className="export-under">
        <Menu
          label={text.addFilter}
          items={filterFields
            .filter((field) => !lines.includes(field))
            .map((field) => ({
              id: field,
              label: text.filterName[field],
              run: () => {
                setAdded(field);
                change({ ...filter, ...emptyLine(field) });
              },
            }))}
          button={(props) => (
            <Button look="ghost" small icon="filter" data-testid="add-filter" {...props}>
              {text.addFilter}
            </Button>
          )}
        />
      </div>
    </fieldset>
  );
}

interface LineProps {
  field: FilterField;
  filter: FilterDraft;
  /** It was just added: what it needs is typed next. */
  focus: boolean;
  onChange: (filter: FilterDraft) => void;
}

function Line({ field, filter, focus, onChange }: LineProps) {
  const text = useText().exporting;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) box.current?.querySelector('input')?.focus();
  }, [focus]);
  return (
    <div ref={box} className="export-filter-value">
      {isNameField(field) ? (
        <Names
          field={field}
          names={filter[field] ?? []}
          onChange={(names) => onChange({ ...filter, [field]: names })}
        />
      ) : field === 'sources' ? (
        <Ticks
          label={text.filterName.sources}
          all={['adjudication', 'human', 'rule', 'judge'] as const}
          chosen={filter.sources ?? []}
          say={(source) => text.sourceName[source]}
          onChange={(sources) => onChange({ ...filter, sources })}
        />
      ) : field === 'kinds' ? (
        <Ticks
          label={text.filterName.kinds}
          all={['react', 'summary'] as const}
          chosen={filter.kinds ?? []}
          say={(kind) => text.kindName[kind]}
          onChange={(kinds) => onChange({ ...filter, kinds })}
        />
      ) : field === 'minScore' ? (
        <TextField
          inputMode="decimal"
          aria-label={text.filterName.minScore}
          value={filter.minScore ?? ''}
          onChange={(event) => onChange({ ...filter, minScore: event.target.value })}
        />
      ) : field === 'successful' ? (
        <span className="text-12 quiet">{text.successfulHelp}</span>
      ) : field === 'length' ? (
        <Ends
          names={[text.atLeast, text.atMost]}
          values={[filter.length?.min ?? '', filter.length?.max ?? '']}
          onChange={(min, max) => onChange({ ...filter, length: { min, max } })}
        />
      ) : (
        <Ends
          type="date"
          names={[text.from, text.until]}
          values={[filter.dates?.from ?? '', filter.dates?.to ?? '']}
          onChange={(from, to) => onChange({ ...filter, dates: { from, to } })}
        />
      )}
    </div>
  );
}

interface NamesProps {
  field: NameField;
  names: readonly string[];
  onChange: (names: string[]) => void;
}

/** Names as chips; Enter or a comma adds what is typed, Backspace in an empty field takes the last one away. */
function Names({ field, names, onChange }: NamesProps) {
  const text = useText().exporting;
  const [typed, setTyped] = useState('');
  const id = useId();
  const known = useKnownNames(field).filter((name) => !names.includes(name));
  const add = (name: string) => {
    onChange(withName(names, name));
    setTyped('');
  };
  return (
    <>
      {names.map((name) => (
        <span key={name} className="chip export-filter-chip">
          <span className="cut" title={name}>
            {name}
          </span>
          <IconButton
            small
            icon="close"
            label={text.removeName(name)}
            onClick={() => onChange(names.filter((other) => other !== name))}
          />
        </span>
      ))}
      <TextField
        className="export-filter-input"
        aria-label={text.addName(text.filterName[field])}
        placeholder={text.addNamePlaceholder}
        list={id}
        value={typed}
        onChange={(event) => {
          const { value } = event.target;
          if (value.endsWith(',')) add(value.slice(0, -1));
          // Chosen from the list: it comes whole, without a key.
          else if (
            known.includes(value) &&
            !(event.nativeEvent as InputEvent).inputType?.startsWith('insertText')
          )
            add(value);
          else setTyped(value);
        }}
        onBlur={() => {
          if (typed.trim() !== '') add(typed);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && typed.trim() !== '') add(typed);
          else if (event.key === 'Backspace' && typed === '' && names.length > 0)
            onChange(names.slice(0, -1));
          else return;
          event.preventDefault();
        }}
      />
      <datalist id={id}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** Names that the workspace knows for a field. */
function useKnownNames(field: NameField): string[] {
  const runs = useRuns((state) => state.list);
  const people = useAsked('queue.annotators', field === 'annotators' ? undefined : null);
  const judges = useAsked('judge.batches', field === 'judges' ? undefined : null);
  if (field === 'annotators') return (people.value ?? []).map(({ name }) => name);
  if (field === 'judges') return distinct((judges.value ?? []).map(({ judge }) => judge));
  if (field === 'tasks') return distinct(runs.map(({ task }) => task.id));
  if (field === 'domains') return distinct(runs.map(({ task }) => task.domain));
  return [];
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null && value !== ''))].map(String).sort();
}

interface TicksProps<T extends string> {
  label: string;
  all: readonly T[];
  chosen: readonly T[];
  say: (value: T) => string;
  onChange: (chosen: T[]) => void;
}

function Ticks<T extends NonNullable<ExportFilter['sources']>[number] | 'react' | 'summary'>({
  label,
  all,
  chosen,
  say,
  onChange,
}: TicksProps<T>) {
  return (
    <fieldset className="export-filter-ticks" aria-label={label}>
      {all.map((value) => (
        <label key={value} className="text-12">
          <input
            type="checkbox"
            className="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) =>
              onChange(all.filter((each) => (each === value ? event.target.checked : chosen.includes(each))))
            }
          />
          {say(value)}
        </label>
      ))}
    </fieldset>
  );
}

interface EndsProps {
  names: readonly [string, string];
  values: readonly [string, string];
  type?: 'text' | 'date';
  onChange: (from: string, to: string) => void;
}

/** Two ends of a range; either may stay open. */
function Ends({ names, values, type = 'text', onChange }: EndsProps) {
  return (
    <div className="export-filter-ends">
      {([0, 1] as const).map((end) => (
        <SmallField
          key={end}
          label={names[end]}
          type={type}
          inputMode={type === 'text' ? 'numeric' : undefined}
          value={values[end]}
          onChange={(event) =>
            end === 0 ? onChange(event.target.value, values[1]) : onChange(values[0], event.target.value)
          }
        />
      ))}
    </div>
  );
}
