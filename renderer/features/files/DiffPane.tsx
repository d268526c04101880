import { useEffect, useRef } from 'react';
import './files.css';
import { applyTheme, editor, languageOf } from './monaco';

export interface DiffPaneProps {
  path: string;
  before: string;
  after: string;
  sideBySide: boolean;
  /** Number of the first line, where the texts are parts of a file. Default 1. */
  firstLine?: number;
  label: string;
}

/** What both kinds of panes look like. */
function options(label: string) {
  return {
    readOnly: true,
    automaticLayout: true,
    minimap: { enabled: false },
    fontSize: 12,
    lineHeight: 20,
    fontLigatures: false,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
    scrollBeyondLastLine: false,
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
    stickyScroll: { enabled: false },
    ariaLabel: label,
  };
}

/** What changed between two texts, as many lines added and removed as `countChangedLines` counts. */
export function DiffPane(props: DiffPaneProps) {
  const { before, after } = props;
  // The diff editor draws an empty text as one empty line that was removed or added.
  if (before === '' && after !== '') return <WholePane {...props} text={after} change="insert" />;
  if (after === '' && before !== '') return <WholePane {...props} text={before} change="delete" />;
  return <TwoSides {...props} />;
}

/** A text of which every line is new, or gone. */
function WholePane(props: DiffPaneProps & { text: string; change: 'insert' | 'delete' }) {
  const { path, text, change, firstLine = 1, label } = props;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    applyTheme();
    const model = editor.createModel(withoutEnd(text), languageOf(path));
    const own = editor.create(box.current, {
      ...options(label),
      model,
      lineNumbers: (line) => String(line + firstLine - 1),
    });
    const sign = `${change}-sign codicon codicon-diff-${change === 'insert' ? 'insert' : 'remove'}`;
    own.createDecorationsCollection([
      {
        range: model.getFullModelRange(),
        options: {
          isWholeLine: true,
          className: `line-${change}`,
          marginClassName: `gutter-${change}`,
          linesDecorationsClassName: sign,
        },
      },
    ]);
    const themes = new MutationObserver(applyTheme);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      themes.disconnect();
      own.dispose();
      model.dispose();
    };
  }, [path, text, change, firstLine, label]);
  return <section ref={box} className="diff-pane" aria-label={label} data-keys="own" />;
}

/** Two texts in Monaco's diff editor, read only; unchanged stretches are folded away. */
function TwoSides({ path, before, after, sideBySide, firstLine = 1, label }: DiffPaneProps) {
  const box = useRef<HTMLElement>(null);
  const view = useRef<editor.IStandaloneDiffEditor>(null);
  const beside = useRef(sideBySide);
  beside.current = sideBySide;

  useEffect(() => {
    if (box.current === null) return;
    applyTheme();
    const own = editor.createDiffEditor(box.current, {
      ...options(label),
      originalEditable: false,
      hideUnchangedRegions: { enabled: true, contextLineCount: 3, minimumLineCount: 3 },
      renderSideBySide: beside.current,
      // Indentation is code.
      ignoreTrimWhitespace: false,
      useInlineViewWhenSpaceIsLimited: false,
      renderOverviewRuler: false,
      maxComputationTime: 2_000,
    });
    const names = nameInputs(box.current, label);
    view.current = own;
    const themes = new MutationObserver(applyTheme);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      themes.disconnect();
      names.disconnect();
      own.dispose();
      view.current = null;
    };
  }, [label]);

  useEffect(() => {
    const own = view.current;
    if (own === null) return;
    const language = languageOf(path);
    const original = editor.createModel(withoutEnd(before), language);
    const modified = editor.createModel(withoutEnd(after), language);
    own.setModel({ original, modified });
    const lineNumbers = (line: number) => String(line + firstLine - 1);
    for (const side of [own.getOriginalEditor(), own.getModifiedEditor()])
      side.updateOptions({ lineNumbers });
    return () => {
      // A disposed editor has let go of its models by itself.
      if (view.current === own) own.setModel(null);
      original.dispose();
      modified.dispose();
    };
  }, [path, before, after, firstLine]);

  useEffect(() => {
    view.current?.updateOptions({ renderSideBySide: sideBySide });
  }, [sideBySide]);

  return <section ref={box} className="diff-pane" aria-label={label} data-keys="own" />;
}

/** Without the end of the last line, which the editor takes for one line more. */
function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** The diff editor clears the names of its two inputs whenever its options change; this puts them back. */
function nameInputs(box: HTMLElement, label: string): MutationObserver {
  const name = () => {
    for (const input of box.querySelectorAll('textarea')) {
      if (input.getAttribute('aria-label') !== label) input.setAttribute('aria-label', label);
    }
  };
  const observer = new MutationObserver(name);
  observer.observe(box, { subtree: true, childList: true, attributeFilter: ['aria-label'] });
  name();
  return observer;
}
