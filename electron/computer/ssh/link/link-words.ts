/** What is said about a link that is not good: the host, the cause, since when, what goes on there, and what comes next. */

/** `cause`: a sentence without the host's name, as `ChannelLost.reason`, or the message of a failed try. Times are our clock, ms. */
export function downWords(
  host: string,
  cause: string,
  lostAt: number | null,
  retryAt: number | null,
  tries: number,
): string {
  const since = lostAt === null ? '' : ` since ${timeOfDay(lostAt)}`;
  const counted = tries > 1 ? ` (${tries} tries so far)` : '';
  const next = retryAt === null ? '' : ` Next try at ${timeOfDay(retryAt)}${counted}.`;
  return `${host} cannot be reached${since}: ${sentence(cause)} What runs there keeps running.${next}`;
}

export function connectingWords(host: string): string {
  return `Connecting to ${host}.`;
}

export function askingWords(host: string): string {
  return `Connecting to ${host} waits for your answer to its question.`;
}

export function reconnectingWords(host: string, lostAt: number): string {
  return `${host} cannot be reached since ${timeOfDay(lostAt)}. What runs there keeps running. Connecting again now.`;
}

export function slowWords(host: string, roundTripMs: number): string {
  return `${host} answers slowly: the last round trip took ${Math.round(roundTripMs)} ms.`;
}

export function pausedWords(host: string): string {
  return `${host} answers again after a pause.`;
}

export function stalledWords(host: string, lastByteAt: number): string {
  return `${host} has not answered since ${timeOfDay(lastByteAt)}. What runs there keeps running. If nothing arrives within seconds, Waymark reconnects.`;
}

export function blockedWords(host: string, cause: string): string {
  return `${host} is not connected: ${sentence(cause)} What runs there keeps running. It is not tried again until you say so.`;
}

export function closedWords(host: string): string {
  return `The link to ${host} is closed because nothing uses it. It opens again when it is needed.`;
}

export function silenceWords(silentMs: number): string {
  return `nothing was heard from it for ${Math.round(silentMs / 1000)} s.`;
}

function sentence(text: string): string {
  const plain = text.trim() || 'the cause is not known.';
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}

/** Local time, 24 hours, with seconds. */
function timeOfDay(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
