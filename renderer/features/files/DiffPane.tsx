import { useEffect, useRef } from 'react';
import './files.css';
import { applyTheme, editor, languageOf } from './monaco';

export interface DiffPaneProps {
  path: string;
  before: string;
  after: string;
  sideBySide: boolean;
  label: string;
}

/** Two texts in Monaco's diff editor, read only; unchanged stretches are folded away. */
export function DiffPane({ path, before, after, sideBySide, label }: DiffPaneProps) {
  const box = useRef<HTMLElement>(null);
  const view = useRef<editor.IStandaloneDiffEditor>(null);
  const beside = useRef(sideBySide);
  beside.current = sideBySide;

  useEffect(() => {
    if (box.current === null) return;
    applyTheme();
    const own = editor.createDiffEditor(box.current, {
      readOnly: true,
      originalEditable: false,
      automaticLayout: true,
      minimap: { enabled: false },
      fontSize: 12,
      lineHeight: 20,
      fontLigatures: false,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
      scrollBeyondLastLine: false,
      hideUnchangedRegions: { enabled: true, contextLineCount: 3, minimumLineCount: 3 },
      renderSideBySide: beside.current,
      useInlineViewWhenSpaceIsLimited: false,
      renderOverviewRuler: false,
      scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
      stickyScroll: { enabled: false },
      maxComputationTime: 2_000,
      ariaLabel: label,
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
    const original = editor.createModel(before, language);
    const modified = editor.createModel(after, language);
    own.setModel({ original, modified });
    return () => {
      // A disposed editor has let go of its models by itself.
      if (view.current === own) own.setModel(null);
      original.dispose();
      modified.dispose();
    };
  }, [path, before, after]);

  useEffect(() => {
    view.current?.updateOptions({ renderSideBySide: sideBySide });
  }, [sideBySide]);

  return <section ref={box} className="diff-pane" aria-label={label} data-keys="own" />;
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
