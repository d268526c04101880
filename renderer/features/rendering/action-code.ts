import type { ObservationView } from '@shared/contract/views';

/** A piece of an action's call as it is painted. */
export interface CodePiece {
  kind: 'name' | 'plain' | 'string' | 'number' | 'key';
  text: string;
}

/**
 * A call as one reads it: name, then `key=value`; a text of several lines stands below its key, verbatim. Calls
 * that could not be parsed are shown as the model wrote them.
 */
export function actionCode(view: Pick<ObservationView, 'name' | 'args' | 'rawArguments'>): CodePiece[] {
  const pieces: CodePiece[] = [{ kind: 'name', text: view.name }];
  if (view.args === null) {
    pieces.push({ kind: 'plain', text: ` ${view.rawArguments}` });
    return pieces;
  }
  const entries = Object.entries(view.args);
  const short = entries.filter(([, value]) => !isLong(value));
  const long = entries.filter(([, value]) => isLong(value));
  for (const [key, value] of short) {
    pieces.push({ kind: 'key', text: ` ${key}=` });
    pieces.push(
      typeof value === 'string'
        ? { kind: 'string', text: JSON.stringify(value) }
        : { kind: 'number', text: String(value) },
    );
  }
  for (const [key, value] of long) {
    const text = String(value);
    pieces.push({ kind: 'key', text: `\n${key}=${text.includes('\n') ? '\n' : ''}` });
    pieces.push({ kind: 'string', text: text.includes('\n') ? text : JSON.stringify(text) });
  }
  return pieces;
}

function isLong(value: string | number | boolean): boolean {
  return typeof value === 'string' && (value.includes('\n') || value.length > 60);
}

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Text without terminal sequences and control characters; what is left is safe to read as text. */
export function plainText(text: string): string {
  return text.replace(escapes, '').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
}

export interface Excerpt {
  text: string;
  /** Lines left out; 0 when the text is whole. */
  hiddenLines: number;
}

/** The first lines of a long text: at most `lines`, at most `characters`. */
export function excerpt(text: string, lines: number, characters: number): Excerpt {
  let end = 0;
  for (let line = 0; line < lines && end !== -1; line++)
    end = text.indexOf('\n', end === 0 && line === 0 ? 0 : end + 1);
  const cut = Math.min(end === -1 ? text.length : end, characters);
  if (cut >= text.length) return { text, hiddenLines: 0 };
  let hidden = 1;
  for (let at = text.indexOf('\n', cut + 1); at !== -1; at = text.indexOf('\n', at + 1)) hidden++;
  return { text: text.slice(0, cut), hiddenLines: hidden };
}
