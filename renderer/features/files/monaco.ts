import 'monaco-editor/features/codicon/register.js';
import 'monaco-editor/features/codeEditor/register.js';
import 'monaco-editor/features/diffEditor/register.js';
import 'monaco-editor/features/find/register.js';
import 'monaco-editor/features/clipboard/register.js';
import 'monaco-editor/languages/definitions/cpp/register.js';
import 'monaco-editor/languages/definitions/dockerfile/register.js';
import 'monaco-editor/languages/definitions/ini/register.js';
import 'monaco-editor/languages/definitions/javascript/register.js';
import 'monaco-editor/languages/definitions/markdown/register.js';
import 'monaco-editor/languages/definitions/python/register.js';
import 'monaco-editor/languages/definitions/shell/register.js';
import 'monaco-editor/languages/definitions/sql/register.js';
import 'monaco-editor/languages/definitions/typescript/register.js';
import 'monaco-editor/languages/definitions/xml/register.js';
import 'monaco-editor/languages/definitions/yaml/register.js';
import { editor, languages } from 'monaco-editor/editor/editor.api.js';

/*
 * The part of Monaco this window uses: reading and diffing, a dozen languages, one worker. Loaded on first use.
 * Colours come from our tokens, so that the diff stays blue and red (green and orange belong to labels).
 */

/** Language id for a path by its extension or name; plain text when none is known. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const found = languages
    .getLanguages()
    .find(
      (language) =>
        language.filenames?.some((each) => each.toLowerCase() === name) ||
        language.extensions?.some((extension) => name.endsWith(extension)),
    );
  return found?.id ?? 'plaintext';
}

/** Defines both themes from the tokens in force and chooses the one the document shows. */
export function applyTheme(): void {
  const style = getComputedStyle(document.documentElement);
  const colour = (token: string) => toHex(style.getPropertyValue(token).trim());
  const dark = document.documentElement.dataset.theme !== 'light';
  const rule = (token: string, variable: string) => ({ token, foreground: colour(variable).slice(1, 7) });
  editor.defineTheme('waymark', {
    base: dark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      rule('', '--fg'),
      rule('keyword', '--syn-key'),
      rule('string', '--syn-str'),
      rule('number', '--syn-num'),
      rule('comment', '--syn-com'),
    ],
    colors: {
      'editor.background': colour('--bg-inset'),
      'editor.foreground': colour('--fg'),
      'editorLineNumber.foreground': colour('--fg-3'),
      'editorLineNumber.activeForeground': colour('--fg-2'),
      'diffEditor.insertedTextBackground': colour('--diff-add-strong'),
      'diffEditor.removedTextBackground': colour('--diff-del-strong'),
      'diffEditor.insertedLineBackground': colour('--diff-add'),
      'diffEditor.removedLineBackground': colour('--diff-del'),
      'diffEditor.border': colour('--line'),
      focusBorder: colour('--accent'),
    },
  });
  editor.setTheme('waymark');
}

/** `#rrggbb` or `#rrggbbaa` for a token written as hex or as `rgb(r g b / a)`. */
export function toHex(colour: string): string {
  if (colour.startsWith('#')) return colour;
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const part = (value: number) => Math.round(value).toString(16).padStart(2, '0');
  return `#${part(red)}${part(green)}${part(blue)}${part(alpha * 255)}`;
}

export { editor };
