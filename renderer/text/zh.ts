import type { Text } from './en';
import { branches } from './zh/branches';
import { common } from './zh/common';
import { computers } from './zh/computers';
import { correction } from './zh/correction';
import { datasets, jobs } from './zh/datasets';
import { detail, queries } from './zh/detail';
import { experiments } from './zh/experiments';
import { exporting } from './zh/exporting';
import { files } from './zh/files';
import { filter } from './zh/filter';
import { firstUse } from './zh/first-use';
import { about, frame, palette } from './zh/frame';
import { guideline } from './zh/guideline';
import { hints } from './zh/hints';
import { hostPrompts } from './zh/host-prompts';
import { importing, restore } from './zh/import-restore';
import { inbox } from './zh/inbox';
import { judgeQuality } from './zh/judge-quality';
import { judging } from './zh/judging';
import { keys } from './zh/keys';
import { exchange, labels, retro, similar } from './zh/labels';
import { newRun } from './zh/new-run';
import { plots } from './zh/plots';
import { prompt } from './zh/prompt';
import { queue } from './zh/queue';
import { rehearsal } from './zh/rehearsal';
import { remote } from './zh/remote';
import { rendering } from './zh/rendering';
import { rubric } from './zh/rubric';
import { rules } from './zh/rules';
import { approvals, runs } from './zh/runs';
import { search } from './zh/search';
import { settings } from './zh/settings';
import { shortcuts } from './zh/shortcuts';
import { terminals } from './zh/terminals';
import { timeline } from './zh/timeline';
import { tokens } from './zh/tokens';

/** Simplified Chinese. */
export const zh: Text = {
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
