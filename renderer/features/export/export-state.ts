import { presetReasoning, type RowReasoning } from '@shared/context/trajectory';
import type {
  Compression,
  ExportFormat,
  ExportOptions,
  ExportVariant,
  Redaction,
} from '@shared/contract/export-request';
import { targetFacts } from '@shared/contract/export-targets';
import { create } from 'zustand';
import type { OptionsInput } from './export-calls';
import { type FilterDraft, type FilterProblem, filterOf } from './filter-builder';

export type Scope = 'this' | 'all' | 'chosen';

/** What a person has set on the Export screen. Lives on while another mode is on the screen; nothing of it is stored. */
export interface ExportDraft {
  scope: Scope;
  chosen: string[];
  filter: FilterDraft;
  format: ExportFormat;
  variants: ExportVariant[];
  /** The variant whose counts and rows are shown. */
  shown: ExportVariant;
  undecided: ExportOptions['undecided'];
  noTools: ExportOptions['noTools'];
  preset: ExportOptions['preset'];
  /** Null: as the preset says. */
  carried: 'once' | 'paper' | null;
  reasoning: RowReasoning | null;
  argumentsForm: ExportOptions['arguments'];
  split: boolean;
  /** Percent and seed as typed. */
  share: string;
  seed: string;
  deduplicate: boolean;
  compression: Compression;
  redact: Redaction;
  /** Findings that stay, by their names. */
  allowed: string[];
}

const begun: ExportDraft = {
  scope: 'this',
  chosen: [],
  filter: {},
  format: 'slime',
  variants: ['all'],
  shown: 'all',
  undecided: 'refuse',
  noTools: 'refuse',
  preset: 'default',
  carried: null,
  reasoning: null,
  argumentsForm: 'auto',
  split: false,
  share: '10',
  seed: '1',
  deduplicate: false,
  compression: 'none',
  redact: 'strict',
  allowed: [],
};

interface ExportState {
  draft: ExportDraft;
  findings: boolean;
  targets: boolean;
}

export const useExport = create<ExportState>()(() => ({
  draft: begun,
  findings: false,
  targets: false,
}));

export function changeDraft(change: Partial<ExportDraft>): void {
  useExport.setState(({ draft }) => ({ draft: { ...draft, ...change } }));
}

/** Another target: what it cannot take falls back to what every target takes. */
export function chooseFormat(format: ExportFormat): void {
  const { draft } = useExport.getState();
  const { compressions } = targetFacts(format);
  changeDraft({
    format,
    ...(compressions.includes(draft.compression) ? {} : { compression: 'none' }),
    ...(targetFacts(format).argumentsForm === 'template' ? {} : { argumentsForm: 'auto' }),
  });
}

/** Adds or takes away a variant; one is always left, and what is shown is one of them. */
export function toggleVariant(variant: ExportVariant, on: boolean): void {
  const { draft } = useExport.getState();
  const variants = on ? [...draft.variants, variant] : draft.variants.filter((each) => each !== variant);
  if (variants.length === 0) return;
  changeDraft({
    variants,
    shown: on ? variant : variants.includes(draft.shown) ? draft.shown : (variants[0] ?? 'all'),
  });
}

export function allow(name: string): void {
  const { allowed } = useExport.getState().draft;
  if (!allowed.includes(name)) changeDraft({ allowed: [...allowed, name] });
}

export function disallow(name: string): void {
  changeDraft({ allowed: useExport.getState().draft.allowed.filter((each) => each !== name) });
}

/** What keeps the export from being written, besides what the preview finds. */
export interface DraftProblems {
  filter: ReturnType<typeof filterOf>['problems'];
  share: FilterProblem | null;
  seed: FilterProblem | null;
  chosen: boolean;
}

/** The options that a draft means. A field that is wrong is left out and named. */
export function optionsOf(
  draft: ExportDraft,
  run: string | null,
): { options: OptionsInput; problems: DraftProblems; whole: boolean } {
  const { filter, problems } = filterOf(draft.filter);
  const share = percentOf(draft.share);
  const seed = /^\d{1,9}$/.test(draft.seed.trim()) ? Number(draft.seed) : null;
  const wrong: DraftProblems = {
    filter: problems,
    share: draft.split && share === null ? 'number' : null,
    seed: draft.split && seed === null ? 'number' : null,
    chosen: draft.scope === 'chosen' && draft.chosen.length === 0,
  };
  const runs = draft.scope === 'chosen' ? draft.chosen : draft.scope === 'this' && run !== null ? [run] : [];
  const options: OptionsInput = {
    format: draft.format,
    runs,
    filter,
    variants: draft.variants,
    undecided: draft.undecided,
    noTools: draft.noTools,
    preset: draft.preset,
    reasoning: reasoningOf(draft),
    ...(draft.carried === null ? {} : { carried: draft.carried }),
    ...(draft.split && share !== null && seed !== null ? { split: { share, seed } } : {}),
    deduplicate: draft.deduplicate,
    compression: draft.compression,
    arguments: draft.argumentsForm,
    redact: draft.redact,
    allowed: draft.allowed,
  };
  const whole =
    Object.keys(problems).length === 0 && wrong.share === null && wrong.seed === null && !wrong.chosen;
  return { options, problems: wrong, whole };
}

export function reasoningOf({ reasoning, preset }: Pick<ExportDraft, 'reasoning' | 'preset'>): RowReasoning {
  return reasoning ?? presetReasoning(preset);
}

/** Share of a percentage as typed, between 0 and 1 and neither of them. */
function percentOf(typed: string): number | null {
  const text = typed.trim().replace(',', '.');
  if (!/^\d+(\.\d+)?$/.test(text)) return null;
  const share = Number(text) / 100;
  return share > 0 && share < 1 ? share : null;
}

/**
 * The options that decide what is found. Every variant has its rows among those of `unmasked`, so each text is looked at once; what is
 * undecided or has no tools does not keep anybody from looking.
 */
export function findingsInput(options: OptionsInput): OptionsInput {
  const { split: _split, compression: _packed, arguments: _form, ...texts } = options;
  return { ...texts, variants: ['unmasked'], undecided: 'train', noTools: 'allow' };
}
