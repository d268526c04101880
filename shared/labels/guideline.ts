/** The nine priorities of APOLLO's appendix E, by number; what the keys 1–9 attach as reason. */
export const reasonCodes = [
  'ignores-script',
  'transformers-not-vllm',
  'null-or-error',
  'lowers-high-score',
  'blind-edit',
  'idle-compute',
  'contradicts-hint',
  'eval-timing',
  'template-cot',
] as const;
export type ReasonCode = (typeof reasonCodes)[number];

/** What appendix E of APOLLO calls essential to keep, by the names of the rules that recognise it; reasons for TRAIN only. */
export const keepCodes = [
  'keep-sleep-while-training',
  'keep-debugging',
  'keep-exploration',
  'keep-backup',
] as const;
export type KeepCode = (typeof keepCodes)[number];

/** A change of a point, or of what counts, raises it. */
export const GUIDELINE_VERSION = 2;

/** One point of the guideline: what it asks for, and what counts. */
export interface GuidelinePoint {
  text: string;
  counts: string;
}

/** Something that is kept although it may look like idling. */
export interface GuidelineKeep {
  name: string;
  text: string;
}

export const guidelinePoints: Readonly<Record<ReasonCode, GuidelinePoint>> = {
  'ignores-script': {
    text: 'Mask a step that writes or runs a program of its own where the task provides one for that very job.',
    counts:
      'Both steps count: the one that writes the stand-in and the one that runs it. A new program for a job the task left open is fine, for instance to sample from the training set.',
  },
  'transformers-not-vllm': {
    text: 'Mask a step that answers questions with plain transformers where a fast inference engine is available.',
    counts:
      'Creating such a program, changing it and running it all count; from_pretrained in a training program does not.',
  },
  'null-or-error': {
    text: 'Mask a step without a valid call, and one whose call failed through its own fault.',
    counts:
      'Refused, invalid, not found, timed out. A command that ends with an error while a fault is being hunted down step by step may stay.',
  },
  'lowers-high-score': {
    text: 'Mask a step that risks a result that is already as good as it gets.',
    counts:
      'At the full score almost nothing is left to do but keep the output and finish. Go by the best score at that moment.',
  },
  'blind-edit': {
    text: 'Mask a step that changes a file whose current content was not looked at just before.',
    counts:
      'Opening, searching, cat, head, sed -n and git diff count as looking. The second of two changes in a row is blind, because the first has changed what was seen.',
  },
  'idle-compute': {
    text: 'Mask a step that trains on less than the machines it was given.',
    counts:
      'One card where eight are free, CUDA_VISIBLE_DEVICES with fewer than all, LoRA where the whole model fits. A short trial to find a fault is fine.',
  },
  'contradicts-hint': {
    text: 'Mask the steps before a hint that do what the hint advises against.',
    counts:
      'Only steps before the hint. Steps that the hint praises or merely builds on stay, and so do those that it does not really concern.',
  },
  'eval-timing': {
    text: 'Mask an evaluation or a finish at the wrong moment.',
    counts:
      'Evaluating again without a change since; finishing below the best score, or early, with evaluations and time left.',
  },
  'template-cot': {
    text: 'Mask a step that makes up reasoning from a fixed pattern.',
    counts:
      'Reasoning should be sampled from a model and filtered by its result. Filling in a template counts, and so does keeping all samples unfiltered.',
  },
};

/** APOLLO appendix E, "essential to keep", in the order of `keepCodes`. */
export const guidelineKeeps: readonly GuidelineKeep[] = [
  {
    name: 'Sleeping while something runs',
    text: 'Waiting for training or inference shows patience and lets the machines do their work.',
  },
  {
    name: 'Systematic debugging',
    text: 'Steps that narrow a fault down on their own, one after another, even where one of their commands fails.',
  },
  {
    name: 'Exploration',
    text: 'Looking around and trying things out to find the best way to the goal.',
  },
  {
    name: 'Backups',
    text: 'Copying outputs elsewhere with their score after an evaluation, and choosing the best of them at the end.',
  },
];

export const guidelinePrinciple = {
  title: 'Tolerant to decisions, strict to their execution',
  text: 'A decision at the beginning that is not perfect but still moves towards the goal may stay. The steps that carry it out are masked wherever one of the points for masking applies: look hardest at commands and at the contents of files that are created or edited.',
};
