import type { MachinePrecedence } from '../../labels/labels';
import type { LabelValue } from '../../log/annotations';
import type { AttentionItem } from '../../runs/attention/attention';
import type { RuleId, RuleSettings, RuleValue } from './rule-settings';

export interface RuleParameterView {
  name: string;
  value: RuleValue;
  /** What holds without the workspace's setting. */
  otherwise: RuleValue;
  from: 'rule' | 'task' | 'workspace';
}

/** A rule as it holds for a task. */
export interface RuleView {
  id: RuleId;
  version: number;
  effect: 'mask' | 'keep';
  hard: boolean;
  text: string;
  citation: string;
  on: boolean;
  /** Whether it is on without the workspace's setting. */
  otherwise: boolean;
  parameters: RuleParameterView[];
}

/** The rules of a run's task, and what they say about the run now. */
export interface RunRules {
  run: string;
  task: string;
  rules: RuleView[];
  precedence: MachinePrecedence;
  /** What holds without the workspace's setting. */
  otherwise: MachinePrecedence;
  /** The workspace's setting as it is stored, with who set it; null: none. */
  setting: StoredRuleSettings | null;
  /** Steps each rule speaks about in this run. */
  counts: Partial<Record<RuleId, number>>;
  /** Inbox findings of this run: detectors are no labels, but they name steps. */
  detectors: Pick<AttentionItem, 'kind' | 'step' | 'steps'>[];
}

export interface StoredRuleSettings {
  task: string;
  settings: RuleSettings;
  /** ms since 1970. */
  at: number;
  author: string;
}

/** How far the verdicts of a task's runs are derived with the settings in force. */
export interface RuleProgress {
  task: string;
  runs: number;
  /** Runs that are not there yet. */
  behind: number;
  /** Some of these: a run that cannot be read stays among them. */
  waiting: string[];
  events: { done: number; total: number };
}

/** A step that a change of settings would touch. */
export interface RuleExample {
  run: string;
  step: number;
  why: string;
  /** Steps the rule ties to it. */
  steps: number[];
  /** What holds now; null = undecided. */
  now: LabelValue | null;
  /** A person decided otherwise. */
  conflict: boolean;
}

/** What one rule would say, against what it says now. */
export interface RuleChange {
  rule: RuleId;
  effect: 'mask' | 'keep';
  /** Steps it would speak about. */
  total: number;
  newly: number;
  noLonger: number;
  /** The new ones, by what holds for them now. */
  now: { train: number; mask: number; undecided: number };
  /** New ones on which a person decided otherwise. */
  conflicts: number;
  /** First of the new ones, then of those no longer there. */
  examples: RuleExample[];
  gone: RuleExample[];
}

export interface RulePreview {
  runs: string[];
  rules: RuleChange[];
  /** Steps whose effective label would be another one. */
  labels: { toTrain: number; toMask: number; toUndecided: number; total: number };
  /** Events that were read. */
  events: number;
  /** A newer preview was asked for before this one was done; what is here is of no use. */
  superseded: boolean;
}
