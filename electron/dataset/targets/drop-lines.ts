import type { TargetDrop } from './target';

/** What a format left out, as a section of its README; '' when nothing. */
export function dropLines(dropped: readonly TargetDrop[]): string {
  if (dropped.length === 0) return '';
  const lines = dropped.map(({ why, count }) => `| ${why} | ${count} |`);
  return `
## Left out

| why | count |
|---|---|
${lines.join('\n')}
`;
}
