import type { ContentPart } from '@shared/log/chat';
import { finalScore } from '@shared/runs/scores';
import { modelOf, type RowPlan, type VariantPlan, variantPlan } from '../plan';
import type { DatasetRow } from '../rows';
import { atifProblems } from './atif-problems';
import {
  type AnswerStep,
  answerSteps,
  argumentsOf,
  checked,
  countTrained,
  LeftOut,
  type RowMessage,
  recordMaker,
  refuseUntrained,
  rowMessages,
  sourceOf,
  stepSource,
  wellFormedTools,
} from './chat-rows';
import { codeBlock, droppedText, variantsText } from './readme-parts';
import type { Target, TargetFacts, TargetRecord } from './target';

type Json = Record<string, unknown>;

const VERSION = 'ATIF-v1.8';

/**
 * Harbor's trajectory format, one document for each row. Objects are closed, so labels are in `extra.waymark`. A step that is
 * carried on, and a head that an earlier segment had, are `is_copied_context`. A segment that was summarised names the next one in
 * `continued_trajectory_ref`; there the summary is a system step with `context_management`, and the summary turn is the
 * sub-agent's trajectory that it refers to.
 */
export const atifTarget: Target = {
  format: 'atif',
  title: 'ATIF (Harbor)',
  encodings: ['documents'],
  compressions: ['none'],
  kinds: ['react', 'summary'],
  argumentsForm: 'object',
  repeats: 'never',
  begin: ({ plan, variant }) => {
    const names = new Set(variantPlan(plan, variant).rows.map(nameOf));
    return recordMaker('row', (row) => [recordOf(row, names)]);
  },
  readme,
  problems: atifProblems,
};

/** As Harbor names them: the first segment's, then `.cont-1`, `.cont-2`; of the summary turn that ended a segment `.summary-1`. */
function nameOf({ run, segment: { segment }, kind }: Pick<RowPlan, 'run' | 'segment' | 'kind'>): string {
  const piece = kind === 'summary' ? `.summary-${segment}` : segment === 1 ? '' : `.cont-${segment - 1}`;
  return `${run.created.run}${piece}.json`;
}

const idOf = (name: string) => name.slice(0, -'.json'.length);

/** The name of another row of the same run, if the plan has it. */
function other(
  { plan }: DatasetRow,
  names: ReadonlySet<string>,
  which: { kind: RowPlan['kind']; segment: number },
): string | null {
  const name = nameOf({ ...plan, kind: which.kind, segment: { ...plan.segment, segment: which.segment } });
  return names.has(name) ? name : null;
}

function recordOf(row: DatasetRow, names: ReadonlySet<string>): TargetRecord {
  const messages = rowMessages(row);
  refuseUntrained(messages);
  const { kind, run, segment } = row.plan;
  const name = nameOf(row.plan);
  const next = kind === 'react' ? other(row, names, { kind, segment: segment.segment + 1 }) : null;
  const steps = stepsOf(row, messages, names).map((step, at) => ({ step_id: at + 1, ...step }));
  const score = finalScore(run.scores);
  const value = {
    schema_version: VERSION,
    session_id: run.created.run,
    trajectory_id: idOf(name),
    agent: {
      name: 'waymark',
      version: '1',
      model_name: modelOf(row.plan).model,
      ...(row.tools.length === 0 ? {} : { tool_definitions: wellFormedTools(row) }),
    },
    steps,
    final_metrics: { total_steps: steps.length, ...(score === null ? {} : { extra: { score } }) },
    ...(next === null ? {} : { continued_trajectory_ref: next }),
    extra: { waymark: sourceOf(row) },
  };
  return checked({ value, trained: countTrained(messages), name }, atifProblems);
}

function stepsOf(row: DatasetRow, messages: readonly RowMessage[], names: ReadonlySet<string>): Json[] {
  const answers = answerSteps(row);
  const continues = row.plan.kind === 'react' && row.plan.segment.segment > 1;
  const steps: Json[] = [];
  let seen = 0;
  for (const each of messages) {
    const { message } = each;
    const step = answers[seen] ?? null;
    switch (message.role) {
      case 'assistant':
        steps.push(
          step === null && continues
            ? summaryStep(row, message.content, names)
            : agentStep(row, { ...each, message }, step),
        );
        seen += 1;
        break;
      case 'tool':
        observe(steps.at(-1), message.tool_call_id, message.content);
        break;
      default:
        steps.push({
          source: message.role,
          message: typeof message.content === 'string' ? message.content : message.content.map(partOf),
          // A head that is not the run's first was in an earlier trajectory too.
          ...(continues && !steps.some(isBody) ? { is_copied_context: true } : {}),
        });
    }
  }
  return steps;
}

/** A step after the head: carried on, or the segment's own. */
const isBody = ({ source }: Json) => source === 'agent';

function agentStep(
  row: DatasetRow,
  { message, trained }: { message: Extract<RowMessage['message'], { role: 'assistant' }>; trained: boolean },
  step: AnswerStep | null,
): Json {
  const { reasoning_content: reasoning = '', tool_calls: calls = [], content } = message;
  const mask = trained ? 1 : 0;
  const own = step?.own ?? null;
  const label =
    own === null
      ? { mask, ...(step === null ? {} : { run: step.run, step: step.step }) }
      : stepSource(own, mask);
  const model = own === null ? null : own.model.model;
  return {
    source: 'agent',
    ...(model === null || model === modelOf(row.plan).model ? {} : { model_name: model }),
    message: content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            tool_call_id: call.id,
            function_name: call.function.name,
            arguments: argumentsOf(call).object,
          })),
        }),
    // What trains must not be marked as copied: readers leave copied steps out of training.
    ...(own === null && !trained ? { is_copied_context: true } : {}),
    extra: { waymark: label },
  };
}

/** The summary at the head of a segment, and the trajectory of the turn that wrote it, if that is in the dataset. */
function summaryStep(row: DatasetRow, summary: string, names: ReadonlySet<string>): Json {
  const turn = other(row, names, { kind: 'summary', segment: row.plan.segment.segment - 1 });
  return {
    source: 'system',
    message: summary,
    ...(turn === null
      ? {}
      : {
          observation: {
            results: [{ subagent_trajectory_ref: [{ trajectory_id: idOf(turn), trajectory_path: turn }] }],
          },
        }),
    is_copied_context: true,
    extra: { context_management: { type: 'compaction', boundary: 'replace' } },
  };
}

/** The result of a call belongs to the step that made it. @throws LeftOut when there is none */
function observe(step: Json | undefined, call: string, content: string): void {
  const calls = (step?.tool_calls ?? []) as { tool_call_id: string }[];
  if (step === undefined || !calls.some(({ tool_call_id }) => tool_call_id === call)) {
    throw new LeftOut('A result answers no call of the step before it');
  }
  const before = (step.observation as { results: Json[] } | undefined)?.results ?? [];
  step.observation = { results: [...before, { source_call_id: call, content }] };
}

/** @throws LeftOut at an image type that ATIF does not have */
function partOf(part: ContentPart): Json {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { url } = part.image_url;
  const type = /^data:(image\/(?:jpeg|png|gif|webp))[;,]/.exec(url)?.[1];
  if (type === undefined) throw new LeftOut('The row shows an image of a type that ATIF does not have');
  return { type: 'image', source: { media_type: type, path: url } };
}

/** Documents of runs with more than one segment. */
function continued({ rows }: VariantPlan): number {
  return rows.filter(({ kind, segment }) => kind === 'react' && segment.segment > 1).length;
}

function readme(facts: TargetFacts): string {
  const records = facts.files.reduce((sum, file) => sum + file.records, 0);
  return `${records} ${records === 1 ? 'document' : 'documents'}, each one trajectory in ${VERSION}; ${continued(variantPlan(facts.plan))} continue an earlier one of the same run.

${codeBlock(
  'python',
  `import json, pathlib
from harbor.models.trajectories import Trajectory

for path in pathlib.Path(".").rglob("*.json"):
    if path.name != "manifest.json":
        Trajectory.model_validate(json.loads(path.read_text(encoding="utf-8")))`,
)}

- **ATIF has no field for masks, and readers do not look for one.** The mask of a step is \`extra.waymark.mask\` on agent steps (1 = train),
  with \`source\` and \`reason\` of its label. A trainer that reads ATIF must be taught to skip agent steps with 0.
- \`is_copied_context\` marks steps that an earlier trajectory of the run holds too, and heads that were carried on. The format says that
  such steps are not for training, and none of them is trained here.
- \`session_id\` is the run. The first segment is \`RUN.json\`, later ones \`RUN.cont-1.json\` and so on, named by \`continued_trajectory_ref\`. A
  segment that starts with a summary has it as a system step with \`extra.context_management\`; the turn that wrote it is
  \`RUN.summary-1.json\`, and the step refers to it.
- Readers up to 1.7 refuse the version string only; nothing else in the documents is newer.
- Arguments are objects, as the format demands; results are in the \`observation\` of the step that made the call.
- A preset's repetition is not applied: each trajectory is one document.
- Images are \`data:\` addresses in \`source.path\`.
${variantsText(facts.files)}${droppedText(facts)}`;
}
