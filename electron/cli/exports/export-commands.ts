import { resolve } from 'node:path';
import { type RowReasoning, rowReasonings } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import {
  type Compression,
  compressions,
  type Encoding,
  type ExportFormat,
  type ExportOptions,
  type ExportVariant,
  encodings,
  exportFormats,
  exportVariants,
  type Redaction,
  type RewardSignal,
  redactions,
  rewardSignals,
} from '@shared/contract/export-request';
import type { VariantCounts } from '@shared/contract/export-views';
import type { ExportPreview, ExportResult } from '@shared/contract/ipc/dataset';
import { type ExportRequest, exportOptions } from '../../dataset/export-request';
import { newJob } from '../../dataset/jobs/export-life';
import { runExport } from '../../dataset/jobs/run-export';
import { dropText, stepRanges } from '../../dataset/plan';
import { filterName } from '../../dataset/plan-filters';
import { previewDataset } from '../../dataset/preview-dataset';
import type { PrivateSources } from '../../dataset/redaction/settings';
import { templateWants } from '../../dataset/tokens/template-wants';
import { withoutLinks } from '../../files/workspace-paths';
import { type Arguments, oneOf, required, wholeNumber } from '../arguments';
import type { CliContext } from '../context';
import { type CommandResult, counted } from '../output';
import { named } from '../run-commands';
import { listDatasetsCommand, verifyDatasetCommand } from './dataset-list-commands';
import { parseFilter } from './export-filter';

/** `export` writes a dataset folder, `export preview` says what it would hold. Undecided steps are refused unless waived. */
export async function exportCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, ...more] = args.words;
  if (verb === 'verify') return verifyDatasetCommand(context, more);
  if (verb === 'list' && more.length === 0) return listDatasetsCommand(context);
  if (verb !== undefined && verb !== 'preview') throw unknownVerb(verb);
  if (more.length > 0) throw unknownVerb(more.join(' '));
  const request = await requestOf(context, args);
  if (args.values.tokenizer !== undefined)
    request.templateWants = await templateWants(resolve(args.values.tokenizer));
  if (verb === 'preview') return previewed(await previewDataset(context.reader, request));
  const out = await withoutLinks(resolve(required(args.values.out, '--out')));
  return exported(await exportHere(context, request, out), args);
}

/** In this thread: a command line does nothing else meanwhile. What a killed one had written is gone on with. */
async function exportHere(context: CliContext, request: ExportRequest, out: string): Promise<ExportResult> {
  const { store } = context;
  const task = {
    job: newJob(),
    workspace: store.folder,
    out,
    options: exportOptions(request),
    templateWants: request.templateWants,
  };
  const sources = privateSources(context);
  const { done } = runExport(
    { ...task, sources, goOn: 'same', register: !store.isReadOnly },
    () => undefined,
  );
  return (await done).result;
}

/** What must not leave this machine, as far as this command knows it. */
export function privateSources({ settings, environment }: CliContext): PrivateSources {
  const { annotator, computers } = settings;
  return { held: Object.values(environment.taken()), settings: { annotator, computers } };
}

function unknownVerb(word: string): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `"export" takes no "${word}". Write "export --out DIR", "export preview", "export list" or "export verify DIR"; values follow their option, as in --format slime.`,
  );
}

/** What the options ask for, for every command that goes over the rows of an export. */
export async function requestOf(context: CliContext, { values }: Arguments): Promise<ExportRequest> {
  const runs = await Promise.all((values.run ?? []).map((word) => named(context, word)));
  const split = splitOf(values);
  return {
    format: oneOf<ExportFormat>(values.format, exportFormats, 'slime', '--format'),
    runs,
    filter: parseFilter(values.filter ?? []),
    variants: variantsOf(values.variant),
    undecided: oneOf<ExportOptions['undecided']>(
      values.undecided,
      ['refuse', 'train', 'mask'],
      'refuse',
      '--undecided',
    ),
    noTools: oneOf<ExportOptions['noTools']>(values['no-tools'], ['refuse', 'allow'], 'refuse', '--no-tools'),
    preset: oneOf<ExportOptions['preset']>(values.preset, ['default', 'apollo'], 'default', '--preset'),
    ...(values.carried === undefined
      ? {}
      : { carried: oneOf<'once' | 'paper'>(values.carried, ['once', 'paper'], 'once', '--carried') }),
    ...(values.reasoning === undefined
      ? {}
      : { reasoning: oneOf<RowReasoning>(values.reasoning, rowReasonings, 'as-sent', '--reasoning') }),
    ...(split === null ? {} : { split }),
    deduplicate: values.deduplicate,
    ...(values.encoding === undefined
      ? {}
      : { encoding: oneOf<Encoding>(values.encoding, encodings, 'jsonl', '--encoding') }),
    compression: oneOf<Compression>(values.compress, compressions, 'none', '--compress'),
    arguments: oneOf<ExportOptions['arguments']>(
      values.arguments,
      ['auto', 'string', 'object'],
      'auto',
      '--arguments',
    ),
    rewards: oneOf<RewardSignal>(values.rewards, rewardSignals, 'integrated', '--rewards'),
    redact: oneOf<Redaction>(values.redact, redactions, 'strict', '--redact'),
    allowed: values.allow ?? [],
    signal: new AbortController().signal,
  };
}

/** `ablations`: all of them, from one snapshot. Several may be named with commas or by repeating the option. */
function variantsOf(values: readonly string[] | undefined): ExportVariant[] {
  const words = (values ?? ['all']).flatMap((value) => value.split(','));
  const allowed = [...exportVariants, 'ablations'] as const;
  return words.flatMap((word) => {
    const found = oneOf<(typeof allowed)[number]>(word.trim(), allowed, 'all', '--variant');
    return found === 'ablations' ? exportVariants : [found];
  });
}

function splitOf({ split, seed }: Arguments['values']): ExportOptions['split'] | null {
  if (split === undefined) {
    if (seed === undefined) return null;
    throw new WaymarkError(
      'bad_input',
      '--seed chooses the tasks of a split. Add --split 0.1, or leave it out.',
    );
  }
  const share = /^\d*\.?\d+$/.test(split) ? Number(split) : Number.NaN;
  if (!(share > 0 && share < 1)) {
    throw new WaymarkError(
      'bad_input',
      `--split is "${split}" but must be a share between 0 and 1, such as 0.1 for one task in ten.`,
    );
  }
  return { share, seed: wholeNumber(seed, '--seed') ?? 0 };
}

function previewed(preview: ExportPreview): CommandResult {
  const { variants, filtered, dropped, undecided, duplicates, longest, split } = preview;
  const open = undecided.reduce((sum, { total }) => sum + total, 0);
  return {
    json: preview,
    lines: [
      ...variants.flatMap((variant) => variantLines(variant, variants.length > 1)),
      ...filtered.map(
        ({ by, runs, rows }) =>
          `Filtered by ${filterName(by)}: ${counted(rows, 'row')} of ${counted(runs, 'run')}`,
      ),
      ...dropped.map(({ reason, count }) => `Left out ${counted(count, 'row')}: ${dropText(reason)}`),
      ...(duplicates.length === 0
        ? []
        : [`${counted(duplicates.length, 'run')} of a task and sample that another run did better`]),
      ...(split === null
        ? []
        : [`${counted(split.train, 'task')} for training, ${split.validation} for validation`]),
      ...(open === 0 ? [] : [`${counted(open, 'step')} undecided:`]),
      ...undecided.map(
        ({ run, steps, total }) => `  ${run}: ${stepRanges(steps, 8)}${more(total - steps.length)}`,
      ),
      ...preview.noTools.map(({ run, rows }) => `${run}: ${counted(rows, 'row')} without tools`),
      ...preview.inherited.map(inheritedLine),
      ...(longest.length === 0 ? [] : ['Longest rows:']),
      ...longest
        .slice(0, 5)
        .map(
          ({ run, segment, kind, tokens }) =>
            `  ${counted(tokens, 'token')}: ${kind} of segment ${segment}, run ${run}`,
        ),
    ],
  };
}

const more = (steps: number) => (steps > 0 ? ` and ${steps} more` : '');

function variantLines(counts: VariantCounts, isOne: boolean): string[] {
  const { variant, rows, records, trained, masked, trainedTokens, maskedTokens, tokens, byReason } = counts;
  const files = records === rows ? '' : ` (${counted(records, 'record')} in the files)`;
  return [
    `${isOne ? `${variant}: ` : ''}${counted(rows, 'row')}${files}, ${counted(trained, 'step')} trained, ${masked} masked; about ${counted(tokens, 'token')}, of these ${trainedTokens} trained and ${maskedTokens} in masked steps.`,
    ...byReason.map(
      ({ source, reason, value, steps }) =>
        `  ${value.padEnd(5)} ${String(steps).padStart(7)}  ${source}: ${reason}`,
    ),
  ];
}

function exported(result: ExportResult, { values }: Arguments): CommandResult {
  const { variants } = result;
  return {
    json: result,
    lines: [
      ...(variants.length > 1
        ? variants.map(
            ({ variant, records, trained, masked }) =>
              `${variant}: ${counted(records, 'row')}, ${counted(trained, 'step')} trained, ${masked} masked.`,
          )
        : [
            `${counted(result.rows, 'row')}, ${counted(result.trained, 'step')} trained, ${result.masked} masked.`,
          ]),
      ...result.dropped.map(({ reason, count }) => `Left out ${counted(count, 'row')}: ${dropText(reason)}`),
      ...(values.redact === 'off' ? [] : result.allowedNotFound.map(notFound)),
      ...(values.reasoning === 'keep' ? [KEPT_REASONING] : []),
      ...(result.notAsSent === 0 ? [] : [differing(result.notAsSent)]),
      ...result.inherited.map(inheritedLine),
      ...result.files.map(({ path, bytes }) => `${path} (${counted(bytes, 'byte')})`),
    ],
  };
}

function inheritedLine({ run, steps }: { run: string; steps: number }): string {
  return `${steps} inherited ${steps === 1 ? 'step is' : 'steps are'} masked because run ${run} is not exported. Add --run ${run} to train ${steps === 1 ? 'it' : 'them'}.`;
}

function notFound(name: string): string {
  return `Warning: nothing in these rows is called ${name}, so --allow ${name} changed nothing. "export findings" lists the names.`;
}

const KEPT_REASONING =
  'Warning: every row holds the reasoning of all its steps. A model was only sent it this way if its endpoint is sent reasoning back, and a model trained on these rows will be served without it.';

function differing(rows: number): string {
  const what = rows === 1 ? '1 row holds messages' : `${rows} rows hold messages`;
  return `${what} that some steps were sent in another form; metadata.not_as_sent names the steps.`;
}
