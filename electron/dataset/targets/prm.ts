import { majority, type NoMajority, voteKind, votesOf } from '../learning/votes';
import type { StepPlan } from '../run-plan';
import { countingMaker, DropCounts } from './drop-counts';
import { dropLines } from './drop-lines';
import { ownAnswers, withoutMask } from './own-answers';
import { answerText, plainMessages, transcript, withToolsInSystem } from './plain-message';
import type { Target } from './target';

const words: Readonly<Record<NoMajority | 'rows', string>> = {
  'no votes': 'A step on which no judge voted',
  unparsable: 'A step whose votes could all not be parsed',
  tie: 'A step with as many votes for it as against it',
  rows: 'A segment without a labelled step',
};

/** Before all runs are known: what the step itself has. */
const kindOn = ({ rewards }: StepPlan) => (rewards.length > 0 ? 'rewards' : 'verdicts');

/**
 * Step labels for TRL's PRMTrainer: plain texts, and for each completion whether most judges call the step good. The label sits on
 * the separator after a completion. A step without a label is the beginning of the next completion, so that none is judged
 * without what came before it; so is the observation before a step.
 */
export const prm: Target = {
  format: 'prm',
  title: 'TRL, process rewards',
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react'],
  untrained: 'keep',
  argumentsForm: 'string',
  repeats: 'never',
  undecided: 'ignored',
  recordsOf: ({ steps }) =>
    steps.some((step) => typeof majority(votesOf(step, kindOn(step))) === 'boolean') ? 1 : 0,
  begin({ plan }) {
    const kind = voteKind(plan.runs);
    const drops = new DropCounts(words);
    return countingMaker(drops, function* (row) {
      const answers = ownAnswers(row);
      const completions: string[] = [];
      const labels: boolean[] = [];
      const steps: number[] = [];
      let open: string[] = [];
      for (const { step, message, after } of answers) {
        open.push(`Agent:\n${answerText(message)}`);
        const label = majority(votesOf(step, kind));
        if (typeof label === 'boolean') {
          completions.push(open.join('\n\n'));
          labels.push(label);
          steps.push(step.step);
          open = [];
        } else drops.add(label);
        if (after.length > 0) open.push(transcript(plainMessages(after)));
      }
      if (labels.length === 0) {
        drops.add('rows');
        return;
      }
      const before = plainMessages(row.messages.slice(0, answers[0]?.at).map(withoutMask));
      const { run, task } = row.plan.run.created;
      const value = {
        prompt: transcript(withToolsInSystem(before, row.tools)),
        completions,
        labels,
        metadata: { run, segment: row.plan.segment.segment, task: task.id, task_hash: task.hash, steps },
      };
      yield { value, trained: labels.length, steps };
    });
  },
  readme: (facts) => `\`\`\`python
from datasets import load_dataset
from trl.experimental.prm import PRMConfig, PRMTrainer

steps = load_dataset("json", data_files="${facts.files.find(({ split }) => split === 'train')?.path ?? 'train.jsonl'}", split="train")
trainer = PRMTrainer(model=model, args=PRMConfig(max_length=32768), train_dataset=steps, processing_class=tokenizer)
\`\`\`

\`model\` is an \`AutoModelForTokenClassification\` with two labels.

- **\`max_length\`** is 1,024 tokens by default: everything behind it is cut, labels included. Choose one that holds a
  whole segment.
- \`labels\` are \`true\` and \`false\`. TRL would take \`-1\` as a class of its own.
- \`completions\` and \`labels\` have the same length in every row; TRL stops at a row where they differ.

## Labels

${
  voteKind(facts.plan.runs) === 'rewards'
    ? `- A label is what most votes on the step say (\`waymark judge run --mode reward\`). A vote that could not be understood is not counted.`
    : `- A label is what most judges say about the step: \`keep\` is a vote for it, \`mask\` one against it. Each judge has one vote on a
  step; several votes of one model were brought in under several names. A vote with the reason \`unparsable\` is not counted.`
}
- A step without a majority has no label. It is the beginning of the next completion. Observations are before the step that
  follows them.
- Labels do not depend on what trains: a masked step is judged like any other. \`metadata.steps\` are the steps behind the
  completions.
${dropLines(facts.dropped)}`,
  problems({ prompt, completions, labels }) {
    const texts = Array.isArray(completions) ? completions : [];
    const said = Array.isArray(labels) ? labels : [];
    return [
      ...(typeof prompt === 'string' ? [] : ['prompt is not text']),
      ...(texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')
        ? []
        : ['completions is not a list of texts']),
      ...(said.every((label) => typeof label === 'boolean')
        ? []
        : ['labels holds something but true and false']),
      ...(texts.length === said.length ? [] : ['completions and labels differ in length']),
    ];
  },
};
