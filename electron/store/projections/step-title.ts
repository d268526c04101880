/** Longest title and observation line of a step head, UTF-16 units. */
const TITLE_UNITS = 120;
const OBSERVATION_UNITS = 80;

/** Arguments that say most about a call, best first (names of the action table). */
const TELLING = [
  'command',
  'input_text',
  'path',
  'filename',
  'file_path',
  'search_term',
  'query',
  'file_name',
  'url',
  'keyword',
  'thought',
  'summary_content',
  'sleep_time',
  'session_id',
  'line_number',
  'computer_ip',
];

const PLACES = ['dir_path', 'file_path', 'save_path'];

type Args = Record<string, string | number | boolean>;

/** One line that names what a call does, from its stored arguments. '' when the arguments say nothing. */
export function stepTitle(name: string, args: Args): string {
  const key = TELLING.find((candidate) => args[candidate] !== undefined && args[candidate] !== '');
  if (key === undefined) {
    return '';
  }
  const value = oneLine(String(args[key]), TITLE_UNITS);
  if (name === 'edit_file' && args.start !== undefined) {
    return oneLine(`${value}:${args.start}-${args.end ?? args.start}`, TITLE_UNITS);
  }
  const place = PLACES.find((candidate) => candidate !== key && args[candidate] !== undefined);
  if (place !== undefined) {
    return oneLine(`${value} in ${args[place]}`, TITLE_UNITS);
  }
  return key === 'sleep_time' ? `${value} s` : value;
}

export function titleFromText(text: string): string {
  return oneLine(text, TITLE_UNITS);
}

export function observationLine(text: string): string {
  return oneLine(text, OBSERVATION_UNITS);
}

/** First line that is not blank, control characters as spaces, cut without splitting a character. */
function oneLine(text: string, units: number): string {
  const start = text.search(/\S/);
  if (start < 0) {
    return '';
  }
  // Enough to fill the line even if every unit is a space that gets trimmed away.
  const piece = text.slice(start, start + units * 4);
  const line = (piece.split(/[\r\n]/, 1)[0] ?? '').replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trimEnd();
  const cut = line.slice(0, units);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
