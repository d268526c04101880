/** "1 label", "2 labels". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

export function are(count: number): 'is' | 'are' {
  return count === 1 ? 'is' : 'are';
}
