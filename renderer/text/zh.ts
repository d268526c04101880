import type { Text } from './en';
import { about } from './zh/about';
import { approvals } from './zh/approvals';
import { branches } from './zh/branches';
import { common } from './zh/common';
import { computers } from './zh/computers';
import { correction } from './zh/correction';
import { detail } from './zh/detail';
import { exchange } from './zh/exchange';
import { exporting } from './zh/exporting';
import { files } from './zh/files';
import { filter } from './zh/filter';
import { firstUse } from './zh/first-use';
import { frame } from './zh/frame';
import { guideline } from './zh/guideline';
import { hints } from './zh/hints';
import { hostPrompts } from './zh/host-prompts';
import { importing } from './zh/importing';
import { inbox } from './zh/inbox';
import { keys } from './zh/keys';
import { labels } from './zh/labels';
import { newRun } from './zh/new-run';
import { palette } from './zh/palette';
import { plots } from './zh/plots';
import { prompt } from './zh/prompt';
import { queries } from './zh/queries';
import { queue } from './zh/queue';
import { rehearsal } from './zh/rehearsal';
import { remote } from './zh/remote';
import { rendering } from './zh/rendering';
import { restore } from './zh/restore';
import { retro } from './zh/retro';
import { rules } from './zh/rules';
import { runs } from './zh/runs';
import { search } from './zh/search';
import { settings } from './zh/settings';
import { shortcuts } from './zh/shortcuts';
import { similar } from './zh/similar';
import { terminals } from './zh/terminals';
import { timeline } from './zh/timeline';

/** Simplified Chinese. */
export const zh: Text = {
  about,
  approvals,
  branches,
  common,
  computers,
  correction,
  detail,
  exchange,
  restore,
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
  rules,
  runs,
  search,
  settings,
  shortcuts,
  similar,
  terminals,
  timeline,
};
