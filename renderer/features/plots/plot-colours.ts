import { useMemo } from 'react';
import { useDocumentTheme } from '../../state/settings';

/** Colours of the theme as values: a plot that is saved stands without our style sheets. */
export interface PlotColours {
  ground: string;
  text: string;
  quiet: string;
  line: string;
  accent: string;
  train: string;
  mask: string;
  undecided: string;
  hint: string;
}

export function usePlotColours(): PlotColours {
  const theme = useDocumentTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values change with the theme
  return useMemo(() => {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string) => style.getPropertyValue(name).trim();
    return {
      ground: value('--bg-overlay'),
      text: value('--fg'),
      quiet: value('--fg-3'),
      line: value('--line-strong'),
      accent: value('--accent'),
      train: value('--label-train'),
      mask: value('--label-mask'),
      undecided: value('--label-undecided'),
      hint: value('--label-hint'),
    };
  }, [theme]);
}
