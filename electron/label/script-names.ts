/** Words that make a name another version of the same thing rather than something else. */
const VARIANTS: ReadonlySet<string> = new Set(
  'new newer my own our custom simple simplified fast faster quick better best improved improve fixed fix final real modified mod copy alt alternative other optimized opt hf transformers local direct standalone full manual batch batched parallel multi multigpu gpu single tmp temp updated update revised clean minimal basic advanced enhanced robust working temporary second third run do perform start launch script'.split(
    ' ',
  ),
);

/**
 * Whether a script's name is a variant of another's: the same words, and besides them only such as "new" or "v2".
 * `inference_new.py` is one of `inference.py`; `inference_utils.py` and `test_inference.py` are not. The same name in
 * another folder counts when `sameName` says so.
 */
export function isVariantOf(name: string, of: string, sameName: boolean): boolean {
  if (name === of) return sameName;
  if (extension(name) !== extension(of)) return false;
  const left = wordsOf(name);
  for (const word of wordsOf(of)) {
    const at = left.indexOf(word);
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.every((word) => VARIANTS.has(word) || /^(?:v?\d+|v)$/.test(word));
}

/** Whether code calls or imports a script rather than standing in for it. */
export function usesScript(text: string, path: string): boolean {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const stem = base.replace(/\.\w+$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const code = text.replace(/"""[\s\S]*?"""|'''[\s\S]*?'''/g, '""').replace(/^\s*#.*$/gm, '');
  if (new RegExp(`(?:^|[\\s/'"=])${stem}\\.(?:py|sh)\\b`).test(code)) return true;
  return (
    base.endsWith('.py') &&
    new RegExp(
      `^\\s*(?:from\\s+(?:[\\w.]+\\.)?${stem}\\s+import|import\\s+(?:[\\w.]+\\.)?${stem}\\b)`,
      'm',
    ).test(code)
  );
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf('.'));
}

/** Lower-case words of a file's name: `runInference_v2.py` → run, inference, v, 2. */
function wordsOf(name: string): string[] {
  return (
    name
      .replace(/\.\w+$/, '')
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .match(/[a-z]+|\d+/g) ?? []
  );
}
