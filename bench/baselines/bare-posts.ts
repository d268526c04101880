/**
 * What judging cannot do without: sends the same bodies to the same endpoint, so many at a time, and reads each answer to its end.
 * Nothing is parsed or stored. Milliseconds.
 */
export async function barePosts(
  baseUrl: string,
  bodies: readonly string[],
  together: number,
): Promise<number> {
  const before = performance.now();
  let next = 0;
  const work = async () => {
    while (next < bodies.length) {
      const body = bodies[next] ?? '';
      next += 1;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body });
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return performance.now() - before;
}
