import { textDigest } from '../../base/text-digest';
import type { Detector, DetectorFinding } from './detector';

const SAME = 5;
const LAST = 10;
/** A shorter thought ("Let me look.") says too little to be a template, characters. */
const SHORTEST = 40;
/** So much of a file is looked at, characters. */
const LOOKED_AT = 100_000;

interface State {
  /** Digests of the last thoughts. */
  last: { step: number; digest: number }[];
  /** The template that stands now. */
  open: { digest: number; steps: number[] } | null;
}

/** Two fields of the example pasted into a fixed sentence: `f"Let's think. {question} ... So the answer is {answer}"`. */
const pasted =
  /(["'`])(?:(?!\1)[\s\S]){0,600}\{[^{}\n]{0,40}(?:question|problem|query|prompt)[^{}\n]{0,20}\}(?:(?!\1)[\s\S]){0,600}\{[^{}\n]{0,40}(?:answer|solution|label)[^{}\n]{0,20}\}/i;
const reasoningWords =
  /step by step|let'?s think|reasoning|rationale|chain.of.thought|therefore|so the answer/i;

/** A thought with its numbers and spaces made equal. */
const normalised = (text: string) =>
  text
    .toLowerCase()
    .replace(/\d+(?:\.\d+)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Reasoning from a mould, in either of two places: the agent's own thoughts repeat one text but for its numbers, or
 * a program it writes makes rationales for training data by pasting question and answer into a fixed sentence.
 */
export const templateThought: Detector<State> = {
  id: 'template_thought',
  version: 1,
  text: 'Five of the last ten thoughts are the same but for their numbers, or code pastes question and answer into a fixed rationale.',
  citation: 'InnovatorBench §5.4, template-based reasoning',
  parameters: { same: SAME, last: LAST, shortest: SHORTEST },
  start: () => ({ last: [], open: null }),
  look(state, event) {
    if (event.kind === 'file.changed') {
      const { text, path, step } = event.body;
      return text !== null && writesTemplates(text)
        ? [
            {
              key: `file ${path}`,
              step,
              steps: [step],
              facts: { where: 'file', path, count: null },
              open: false,
            },
          ]
        : [];
    }
    if (event.kind !== 'model.answered' || event.body.kind === 'summary') return [];
    const { text, reasoning, step } = event.body;
    const thought = normalised(text === '' ? reasoning : text);
    if (thought.length < SHORTEST) return [];
    state.last = [...state.last.slice(-(LAST - 1)), { step, digest: textDigest(thought) }];
    return thoughts(state);
  },
};

/** Whether code pastes question and answer into a fixed rationale. */
export function writesTemplates(text: string): boolean {
  const looked = text.slice(0, LOOKED_AT);
  const match = looked.includes('{') ? pasted.exec(looked) : null;
  return match !== null && reasoningWords.test(looked.slice(match.index, match.index + 1_400));
}

function thoughts(state: State): DetectorFinding[] {
  const newest = state.last.at(-1);
  const same = state.last.filter(({ digest }) => digest === newest?.digest).map(({ step }) => step);
  const findings: DetectorFinding[] = [];
  const { open } = state;
  if (open !== null) {
    const left = state.last.filter(({ digest }) => digest === open.digest).length;
    if (left < SAME) {
      findings.push(found(open, false));
      state.open = null;
    }
  }
  if (newest !== undefined && same.length >= SAME) {
    const before = state.open?.digest === newest.digest ? state.open.steps : [];
    const steps = [...new Set([...before, ...same])].slice(-20);
    state.open = { digest: newest.digest, steps };
    findings.push(found(state.open, true));
  }
  return findings;
}

function found({ digest, steps }: { digest: number; steps: number[] }, open: boolean): DetectorFinding {
  const facts = { where: 'thought', path: null, count: steps.length };
  return { key: `thought ${digest}`, step: steps.at(-1) ?? 0, steps, facts, open };
}
