import { branches } from './en/branches';
import { common } from './en/common';
import { computers } from './en/computers';
import { correction } from './en/correction';
import { datasets, jobs } from './en/datasets';
import { detail, queries } from './en/detail';
import { experiments } from './en/experiments';
import { exporting } from './en/exporting';
import { files } from './en/files';
import { filter } from './en/filter';
import { firstUse } from './en/first-use';
import { about, frame, palette } from './en/frame';
import { guideline } from './en/guideline';
import { hints } from './en/hints';
import { hostPrompts } from './en/host-prompts';
import { importing, restore } from './en/import-restore';
import { inbox } from './en/inbox';
import { judgeQuality } from './en/judge-quality';
import { judging } from './en/judging';
import { keys } from './en/keys';
import { exchange, labels, retro, similar } from './en/labels';
import { newRun } from './en/new-run';
import { plots } from './en/plots';
import { prompt } from './en/prompt';
import { queue } from './en/queue';
import { rehearsal } from './en/rehearsal';
import { remote } from './en/remote';
import { rendering } from './en/rendering';
import { rubric } from './en/rubric';
import { rules } from './en/rules';
import { approvals, runs } from './en/runs';
import { search } from './en/search';
import { settings } from './en/settings';
import { shortcuts } from './en/shortcuts';
import { terminals } from './en/terminals';
import { timeline } from './en/timeline';
import { tokens } from './en/tokens';

/** English is the shape: another language must have exactly these entries. */
export const en = {
  about,
  approvals,
  branches,
  common,
  computers,
  correction,
  datasets,
  detail,
  exchange,
  restore,
  experiments,
  exporting,
  files,
  filter,
  firstUse,
  frame,
  guideline,
  hints,
  hostPrompts,
  keys,
  importing,
  inbox,
  jobs,
  judgeQuality,
  judging,
  labels,
  newRun,
  palette,
  plots,
  prompt,
  queries,
  queue,
  rehearsal,
  remote,
  rendering,
  retro,
  rubric,
  rules,
  runs,
  search,
  settings,
  shortcuts,
  similar,
  terminals,
  timeline,
  tokens,
};

export type Text = typeof en;
