import { durability } from './durability/durability';
import { appendStep } from './engine/append-step';
import { budgetLine } from './engine/budget-line';
import { bytesWritten } from './engine/bytes-written';
import { commandLine } from './engine/command-line';
import { hostileOutput } from './engine/hostile-output';
import { indexCatchUp } from './engine/index-catch-up';
import { loopOverhead } from './engine/loop-overhead';
import { parserGrowth } from './engine/parser-growth';
import { promptSize } from './engine/prompt-size';
import { redaction } from './engine/redaction';
import { sandboxSession } from './engine/sandbox-session';
import { secretScan } from './engine/secret-scan';
import { sessionOutput } from './engine/session-output';
import type { Bench } from './harness';
import { concurrentRuns } from './long/concurrent-runs';
import { exportLarge } from './long/export-large';
import { longContext } from './long/long-context';
import { resumeRun } from './long/resume-run';
import { secondCheckpoint } from './long/second-checkpoint';
import { thirtyHours } from './long/thirty-hours';
import { twentyAppenders } from './long/twenty-appenders';
import { exportPreview } from './review/export-preview';
import { judgeAgreementBench } from './review/judge-agreement';
import { judgeBatchBench } from './review/judge-batch';
import { killLabels } from './review/kill-labels';
import { labelHistory } from './review/label-history';
import { mergeLabels } from './review/merge-labels';
import { rangeUndo } from './review/range-undo';
import { reviewStore } from './review/review-store';
import { rulesPrecision } from './review/rules-precision';
import { search } from './review/search';
import { tokenViewBench } from './review/token-view';
import { sshCommands } from './ssh/ssh-commands';
import { sshCuts } from './ssh/ssh-cuts';
import { sshDeadLink } from './ssh/ssh-dead-link';
import { sshFlood } from './ssh/ssh-flood';
import { sshIdle } from './ssh/ssh-idle';
import { sshKill } from './ssh/ssh-kill';
import { sshOutput } from './ssh/ssh-output';
import { experimentPage } from './window/experiment-page';
import { keyLatency } from './window/key-latency';
import { killWindow } from './window/kill-window';
import { largeRun } from './window/large-run';
import { promptOpen } from './window/prompt-open';
import { windowMemory } from './window/window-memory';
import { windowStart } from './window/window-start';

/** In the order they run. */
export const benches: readonly Bench[] = [
  windowStart,
  windowMemory,
  keyLatency,
  promptOpen,
  experimentPage,
  largeRun,
  killWindow,
  commandLine,
  appendStep,
  indexCatchUp,
  loopOverhead,
  budgetLine,
  promptSize,
  bytesWritten,
  sessionOutput,
  sandboxSession,
  sshOutput,
  sshCommands,
  sshIdle,
  sshDeadLink,
  sshCuts,
  sshKill,
  sshFlood,
  secretScan,
  redaction,
  hostileOutput,
  parserGrowth,
  longContext,
  thirtyHours,
  resumeRun,
  secondCheckpoint,
  exportLarge,
  twentyAppenders,
  concurrentRuns,
  reviewStore,
  exportPreview,
  killLabels,
  rangeUndo,
  judgeAgreementBench,
  judgeBatchBench,
  labelHistory,
  mergeLabels,
  rulesPrecision,
  search,
  tokenViewBench,
  durability,
];
