import type { ExportFormat, ExportVariant } from '@shared/contract/export-request';
import { create } from 'zustand';

/** What a row is compared with: another variant, or another target, under the same tokenizer. */
export type Comparison = { variant: ExportVariant } | { format: ExportFormat };
export type SideTab = 'token' | 'steps' | 'lost';

interface TokenState {
  /** Place of the row in the plan. */
  row: number;
  /** Token under the cursor. */
  cursor: number;
  open: ReadonlySet<string>;
  side: SideTab;
  comparison: Comparison | null;
  /** Over the whole content of the window. */
  large: boolean;
  rows: boolean;
  /** Counts up when the cursor was put somewhere: the text then brings it into view. */
  reveal: number;
  /** The search for the next stretch went around the end. */
  around: boolean;
}

/** Where somebody stands in the token view; lives on while another mode is on the screen. */
export const useTokens = create<TokenState>()(() => ({
  row: 0,
  cursor: 0,
  open: new Set(),
  side: 'token',
  comparison: null,
  large: false,
  rows: false,
  reveal: 0,
  around: false,
}));

/** Another row: from its beginning, folded. */
export function showRow(row: number): void {
  useTokens.setState(({ reveal }) => ({
    row: Math.max(0, row),
    cursor: 0,
    open: new Set<string>(),
    reveal: reveal + 1,
    around: false,
  }));
}

export function moveTo(cursor: number, around = false): void {
  useTokens.setState(({ reveal }) => ({ cursor: Math.max(0, cursor), reveal: reveal + 1, around }));
}

export function toggleFold(id: string): void {
  useTokens.setState(({ open }) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    return { open: next };
  });
}
