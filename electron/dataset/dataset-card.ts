import type { ExportVariant } from '@shared/contract/export-request';
import type { DataFile, Target, TargetFacts } from './targets/target';

/** More files of one split than this are named by a pattern. */
const namedFiles = 20;

/** Bounds of Hugging Face's `size_categories`, by the number of records that is no longer in them. */
const sizes: readonly [below: number, name: string][] = [
  [1e3, 'n<1K'],
  [1e4, '1K<n<10K'],
  [1e5, '10K<n<100K'],
  [1e6, '100K<n<1M'],
  [1e7, '1M<n<10M'],
  [1e8, '10M<n<100M'],
];

/**
 * YAML that opens the README, so that `load_dataset(dir)` and the Hub know the files: a configuration for each variant, a split for
 * each side, exactly one default. Empty files stand in none, because the reader refuses them.
 */
export function datasetCard(
  { title, format }: Pick<Target, 'title' | 'format'>,
  { files }: TargetFacts,
): string {
  const held = files.filter(({ records }) => records > 0);
  const variants = [...new Set(held.map(({ variant }) => variant))];
  const usual: ExportVariant | undefined = variants.includes('all') ? 'all' : variants[0];
  // One variant is the whole dataset: a reader must not have to know its name.
  const nameOf = (variant: ExportVariant) => (variants.length === 1 ? 'default' : variant);
  const configs = variants.flatMap((variant) => [
    `  - config_name: ${nameOf(variant)}`,
    ...(variant === usual ? ['    default: true'] : []),
    '    data_files:',
    ...(['train', 'validation'] as const).flatMap((split) => splitLines(held, variant, split)),
  ]);
  const records = held.reduce((sum, each) => sum + (each.variant === usual ? each.records : 0), 0);
  return [
    '---',
    `pretty_name: ${quoted(`Agent trajectories for ${title}`)}`,
    'license: other',
    'license_name: not-chosen',
    'size_categories:',
    `  - ${sizes.find(([below]) => records < below)?.[1] ?? '100M<n<1B'}`,
    'tags:',
    ...['waymark', 'agent', 'tool-use', 'trajectories', format].map((tag) => `  - ${quoted(tag)}`),
    ...(configs.length === 0 ? [] : ['configs:', ...configs]),
    '---',
    '',
  ].join('\n');
}

function splitLines(files: readonly DataFile[], variant: ExportVariant, split: DataFile['split']): string[] {
  const paths = files
    .filter((file) => file.variant === variant && file.split === split)
    .map(({ path }) => path);
  if (paths.length === 0) return [];
  const shown = paths.length > namedFiles ? patterns(paths) : paths;
  const [only] = shown;
  return [
    `      - split: ${split}`,
    ...(shown.length === 1
      ? [`        path: ${quoted(only ?? '')}`]
      : ['        path:', ...shown.map((path) => `          - ${quoted(path)}`)]),
  ];
}

/** `a/b/*.json` for each folder and ending. */
function patterns(paths: readonly string[]): string[] {
  const found = paths.map((path) => path.replace(/[^/]*?(\.[^/]*)?$/, '*$1'));
  return [...new Set(found)].sort();
}

/** A JSON string is a YAML string. */
const quoted = (text: string) => JSON.stringify(text);
