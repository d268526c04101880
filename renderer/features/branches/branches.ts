import type { BranchPlan, Lineage, LineageNode } from '@shared/contract/checkpoint-views';
import { create } from 'zustand';
import { call } from '../../api';
import type { MenuItem } from '../../components/Menu';
import { openRun, useRuns } from '../../state/run/runs';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import type { Text } from '../../text/en';

/** Which of the dialogs about checkpoints and branches is open. */
export type BranchDialogName =
  | { name: 'checkpoints'; run: string }
  | { name: 'branch'; run: string; step: number }
  | { name: 'lineage'; run: string };

interface BranchState {
  dialog: BranchDialogName | null;
}

export const useBranches = create<BranchState>()(() => ({ dialog: null }));

export function openBranchDialog(dialog: BranchDialogName): void {
  useBranches.setState({ dialog });
}

export function closeBranchDialog(): void {
  useBranches.setState({ dialog: null });
}

/** Opens the run's dialog for what is under the cursor. @returns false when no step is. */
export function branchFromCursor(): boolean {
  const { run, cursor, steps } = useTimeline.getState();
  if (run === null || steps === 0) return false;
  openBranchDialog({ name: 'branch', run, step: Math.max(1, cursor) });
  return true;
}

/** Opens another run with the cursor on one of its steps; 0 = where it opens by itself. */
export async function openRunAt(run: string, step: number): Promise<void> {
  await openRun(run);
  if (useRuns.getState().current === run && step > 0) moveCursor(step);
}

/** What the person changes about a branch before it is made. */
export interface BranchDraft {
  title: string;
  /** Null: the model of the parent. */
  endpoint: string | null;
  drop: ReadonlySet<string>;
  /** One text, or none. */
  add: string;
  start: boolean;
}

export function emptyDraft(title: string): BranchDraft {
  return { title, endpoint: null, drop: new Set(), add: '', start: true };
}

/** Makes the branch and opens it. */
export async function createBranch(plan: BranchPlan, draft: BranchDraft): Promise<void> {
  const text = draft.add.trim();
  const { run } = await call('branches.create', {
    run: plan.run,
    step: plan.step,
    title: draft.title.trim(),
    endpoint: draft.endpoint,
    // A hint that the plan no longer holds cannot be dropped.
    drop: plan.hints.filter(({ id }) => draft.drop.has(id)).map(({ id }) => id),
    add: text === '' ? [] : [text],
    start: draft.start,
  });
  closeBranchDialog();
  await openRun(run);
}

/** A run of the lineage as it is drawn: one line, from where it branched off to its newest step. */
export interface LineageLine {
  node: LineageNode;
  /** Row from the top, 0-based. */
  row: number;
  depth: number;
  /** Steps at which the line begins (0 for a root) and ends. */
  from: number;
  to: number;
  /** Row of the line it branches off; null for a root, and when the parent is gone. */
  parentRow: number | null;
}

/**
 * The lineage as rows: each run right before its branches, branches in the order of the steps they come from. Runs whose
 * parent is not among them are roots. Every run stands exactly once.
 */
export function lineageLines({ nodes }: Lineage): LineageLine[] {
  const known = new Set(nodes.map(({ run }) => run));
  const children = new Map<string, LineageNode[]>();
  const roots: LineageNode[] = [];
  for (const node of nodes) {
    const parent = node.parent?.run;
    if (parent === undefined || !known.has(parent) || parent === node.run) roots.push(node);
    else children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  const lines: LineageLine[] = [];
  const put = (node: LineageNode, depth: number, parentRow: number | null) => {
    const row = lines.length;
    const from = node.parent?.step ?? 0;
    lines.push({ node, row, depth, from, to: Math.max(from, node.steps), parentRow });
    const below = [...(children.get(node.run) ?? [])].sort(
      (a, b) => (a.parent?.step ?? 0) - (b.parent?.step ?? 0),
    );
    for (const child of below) put(child, depth + 1, row);
  };
  for (const root of roots) put(root, 0, null);
  return lines;
}

/** A place on the lines that keys and clicks go to: a run's end, a checkpoint, or where a branch leaves. */
export interface LineagePlace {
  row: number;
  step: number;
}

/** The places of a line from left to right, without doubles. */
export function placesOf(line: LineageLine, lines: readonly LineageLine[]): number[] {
  const branches = lines.filter(({ parentRow }) => parentRow === line.row).map(({ from }) => from);
  const checkpoints = line.node.checkpoints.map(({ step }) => step);
  const steps = [...branches, ...checkpoints, line.to].filter(
    (step) => step >= line.from && step <= line.to && step > 0,
  );
  return [...new Set(steps)].sort((a, b) => a - b);
}

/** Where an arrow key leads; the same place when there is nothing in that direction. */
export function moveOnLineage(
  lines: readonly LineageLine[],
  at: LineagePlace,
  key: 'left' | 'right' | 'up' | 'down',
): LineagePlace {
  const line = lines[at.row];
  if (line === undefined) return at;
  if (key === 'left' || key === 'right') {
    const places = placesOf(line, lines);
    const step =
      key === 'right' ? places.find((one) => one > at.step) : places.findLast((one) => one < at.step);
    return { row: at.row, step: step ?? at.step };
  }
  const next = lines[at.row + (key === 'down' ? 1 : -1)];
  if (next === undefined) return at;
  const places = placesOf(next, lines);
  const nearest = [...places].sort((a, b) => Math.abs(a - at.step) - Math.abs(b - at.step))[0];
  return { row: next.row, step: nearest ?? next.to };
}

/** What the run's menu offers about checkpoints and branches. */
export function branchItems(run: string, text: Text, line: boolean): MenuItem[] {
  const words = text.branches;
  return [
    {
      id: 'checkpoints',
      label: words.checkpoints,
      text: words.checkpointsText,
      icon: 'disk',
      line,
      run: () => openBranchDialog({ name: 'checkpoints', run }),
    },
    {
      id: 'branch',
      label: words.branch,
      text: words.branchText,
      icon: 'branch',
      run: () => branchFromCursor(),
    },
    {
      id: 'lineage',
      label: words.lineage,
      text: words.lineageText,
      icon: 'list',
      run: () => openBranchDialog({ name: 'lineage', run }),
    },
  ];
}
