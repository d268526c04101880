/** Why a side of a diff is no text. */
const sides: Record<string, string> = {
  text: 'text',
  binary: 'binary',
  large: 'over 1 MB, so its text is not in the log',
  purged: 'its text was removed',
  unknown: 'binary or over 1 MB',
};

export const files = {
  title: 'Files',
  allFiles: 'All files',
  count: (n: string) => `Files ${n}`,
  filter: 'Part of a path',
  shown: (from: string, to: string, of: string) => `${from}–${to} of ${of}`,
  newer: 'Newer',
  older: 'Older',
  thisStep: 'this step',
  times: (n: number) => (n === 1 ? '1 change' : `${n} changes`),
  ofStep: 'Files this step changed',
  andMore: (n: number) => `${n} more`,
  original: 'before',
  revisions: 'Revisions',
  earlier: 'Earlier revisions',
  later: 'Later revisions',
  step: (n: number) => `step ${n}`,
  mark: (n: number, step: number, by: 'action' | 'shell', what: string) =>
    [`Revision ${n}`, `step ${step}`, by === 'shell' ? 'through the shell' : 'by an action', what]
      .filter((part) => part !== '')
      .join(', '),
  stripHelp: 'Shift-click: compare with it. Double-click: go to the step.',
  isBase: 'compared with',
  shellMark: 'sh',
  byShell: 'through the shell',
  byShellAt: 'through the shell, step',
  byActionAt: 'by an action, step',
  inherited: ' of the run it branched from',
  created: 'created',
  deleted: 'deleted',
  movedTo: (path: string) => `moved to ${path}`,
  movedFrom: (path: string) => `moved from ${path}`,
  changed: (added: number, removed: number) => `+${added} −${removed}`,
  notCounted: 'changed',
  comparing: (from: number, to: number) =>
    to === 0
      ? 'Not changed yet at this step'
      : from === 0
        ? `Before the first change → revision ${to}`
        : `Revision ${from} → revision ${to}`,
  noChangeAt: (step: number) => `No file change is recorded at step ${step}.`,
  noTextAtStep: (name: string) => `${name}: no text recorded at this step`,
  linesTold: 'The action itself reported these lines. The rest of the file is not in the log.',
  nothingTold: 'The log says that the action changed it, but not which lines.',
  diffTold: (path: string) => `Lines of ${path} that the action reported`,
  showChanges: 'Show changes',
  hideChanges: 'Hide changes',
  layout: 'Layout',
  sideBySide: 'Side by side',
  inline: 'Inline',
  diffOf: (path: string, from: number, to: number) => `Changes to ${path}, revision ${from} to ${to}`,
  emptyTitle: 'No files changed yet',
  emptyText: 'Files appear here when the agent creates or edits them, by an action or through the shell.',
  noTextTitle: 'No text to compare',
  noText: 'The log keeps the text of files up to 1 MB; for larger ones, only size and hash.',
  before: 'Before',
  after: 'After',
  absent: 'no such file',
  side: (kind: string, size: string, sha: string) => `${sides[kind] ?? kind}, ${size}, sha256 ${sha}`,
};
