/**
 * Awaits the promises of `source` in order, while up to `most` after the one that is wanted are under way: whoever comes back from
 * something slow finds the next one ready.
 */
export async function* readAhead<T>(source: Iterator<Promise<T>>, most: number): AsyncGenerator<T> {
  const coming: Promise<T>[] = [];
  try {
    for (;;) {
      while (coming.length <= most) {
        const begun = source.next();
        if (begun.done === true) break;
        // It may fail before anybody comes to it.
        begun.value.catch(() => undefined);
        coming.push(begun.value);
      }
      const first = coming.shift();
      if (first === undefined) return;
      yield await first;
    }
  } finally {
    // Nothing is under way any more when this has ended.
    await Promise.allSettled(coming);
  }
}
