/** The session an observation is about, from its facts; null when it is about none. */
export function placeOf(data: Record<string, unknown>): { computer: string; session: string } | null {
  const { computer, session } = data;
  return typeof computer === 'string' && typeof session === 'string' ? { computer, session } : null;
}
