/** The one place that says how long a fact may take to come true in a test. */
export const factDeadlineMs = 20_000;

const pollMs = 15;

/** Waits until `look` returns something other than undefined, false or null; fails naming the fact and what was seen last. */
export async function eventually<T>(
  fact: string,
  look: () => T | Promise<T>,
  deadlineMs = factDeadlineMs,
): Promise<Exclude<T, undefined | null | false>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as Exclude<T, undefined | null | false>;
    if (performance.now() > end) throw new Error(`Not true within ${deadlineMs} ms: ${fact}.`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
