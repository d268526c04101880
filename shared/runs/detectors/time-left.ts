/** Only the end of an output tells how far a program is, characters. */
const LOOKED_AT = 4_000;

const clock = String.raw`(?:(\d+) ?d(?:ays?)?,? ?)?(\d{1,3}):(\d{2})(?::(\d{2}))?`;
const patterns = [
  // tqdm: 12%|█▎ | 120/1000 [10:03<1:13:42, 5.02s/it]
  new RegExp(String.raw`\[\s*(?:\d+ ?d(?:ays?)?,? ?)?[\d:]+<${clock}`, 'g'),
  // eta: 1:13:42   ETA 02:13   remaining: 1:02:03   time left: 03:04
  new RegExp(String.raw`\b(?:eta|remaining(?: time)?|time left)\s*[:=]?\s*${clock}`, 'gi'),
];
const inWords =
  /\b(?:eta|remaining(?: time)?|time left)\s*[:=]?\s*(?:about |~ ?)?(\d+(?:\.\d+)?) ?(hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b/gi;

/** The last "this long to go" that a program printed, ms; null when it says nothing of the kind. */
export function timeLeft(output: string): number | null {
  const text = output.slice(-LOOKED_AT);
  let best: { at: number; ms: number } | null = null;
  const take = (at: number, ms: number) => {
    if (best === null || at > best.at) best = { at, ms };
  };
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) take(match.index, clockMs(match.slice(1)));
  }
  for (const match of text.matchAll(inWords)) {
    const unit = (match[2] ?? 's').toLowerCase();
    const each = unit.startsWith('h') ? 3_600_000 : unit.startsWith('m') ? 60_000 : 1_000;
    take(match.index, Number(match[1]) * each);
  }
  return (best as { ms: number } | null)?.ms ?? null;
}

/** Days, then `h:mm:ss` or `mm:ss`. */
function clockMs([days, first, second, third]: (string | undefined)[]): number {
  const [a, b] = [Number(first ?? 0), Number(second ?? 0)];
  const seconds = third === undefined ? a * 60 + b : a * 3_600 + b * 60 + Number(third);
  return (Number(days ?? 0) * 86_400 + seconds) * 1_000;
}
