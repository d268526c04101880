/** "1 step", "2 steps"; a number that is formatted already stays as it is. */
export function plural(n: number | string, noun: string, nouns = `${noun}s`): string {
  return `${n.toLocaleString('en-US')} ${String(n) === '1' ? noun : nouns}`;
}
