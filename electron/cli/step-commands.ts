import { WaymarkError } from '@shared/contract/errors';
import type { ObservationView, PromptView, StepDetail } from '@shared/contract/views';
import { decisionsFor } from '@shared/labels/annotation-fold';
import type { JudgeVerdict, RewardVote } from '@shared/labels/labels';
import { type ImageRef, imageTypeName } from '@shared/log/image-part';
import { shortLine } from '../computer/ssh/untrusted-text';
import { type Arguments, positive, required } from './arguments';
import type { CliContext } from './context';
import { setOff } from './fold-quoted';
import type { CommandResult } from './output';
import { named } from './run-commands';

/** `step show RUN N [--prompt]`: a step as it is recorded, or all that the model was sent for it. */
export async function stepCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, word, at, ...more] = args.words;
  if (verb !== 'show') {
    throw new WaymarkError(
      'bad_input',
      `There is no command "step ${verb ?? ''}". Run "waymark --help" for the commands.`,
    );
  }
  if (more.length > 0) {
    throw new WaymarkError(
      'bad_input',
      `"step show" shows one step, and "${more.join(' ')}" was given as well. Show one step at a time.`,
    );
  }
  const run = await named(context, word);
  const step = positive(required(at, 'The number of the step'), 'The number of the step') ?? 0;
  const detail = await context.reader.step(run, step);
  if (!args.values.prompt) return { json: { run, ...detail }, lines: stepLines(run, detail) };
  const prompt = await context.reader.prompt(detail.head.inheritedFrom ?? run, step);
  return { json: prompt, lines: promptLines(prompt) };
}

/** What was not said by Waymark stands behind the gutter. */
export function stepLines(run: string, detail: StepDetail): string[] {
  const { head, usage, labels } = detail;
  const { value, source, reason } = labels.effective;
  const inherited = head.inheritedFrom === null ? '' : `, made in run ${head.inheritedFrom}`;
  const tokens = usage === null ? '' : `, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
  return [
    `Step ${head.step} of run ${run}: ${head.kind}${head.tool === '' ? '' : `, ${head.tool}`}, segment ${head.segment}${inherited}`,
    `At       ${new Date(head.at).toISOString()}`,
    `Model    ${detail.model}${tokens}, ${seconds(detail.durationMs)}`,
    `Label    ${value ?? 'undecided'}${source === null ? '' : ` by ${source}`}${reason ? ` (${reason})` : ''}`,
    ...labels.humans.map(
      ({ author, value, reason, adjudication }) =>
        `Person   ${author.name}, ${value}${adjudication ? ' (decided between others)' : ''}${reason === null ? '' : `: ${reason}`}`,
    ),
    ...labels.rules.map(({ rule, effect, why }) => `Rule     ${rule}, ${effect}: ${why}`),
    ...labels.judges.map(judgeLine),
    ...decisionsFor(labels.history, head.step).rewards.map(ratingLine),
    ...part('Reasoning', detail.reasoning),
    ...part('Text', detail.text),
    ...detail.observations.flatMap(observationLines),
    ...part('Added by Waymark', detail.taught ?? ''),
    ...part('Hints', detail.hintText ?? ''),
  ];
}

function judgeLine({ judge, value, confidence, reason, why, steps }: JudgeVerdict): string {
  const sure = confidence === null ? '' : `, ${Math.round(confidence * 100)} % sure`;
  const cited =
    steps.length === 0 ? '' : ` (cites ${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')})`;
  const because = [reason, why].filter((words) => words !== '').join(': ');
  return `Judge    ${judge}, ${value}${sure}${because === '' ? '' : `: ${because}`}${cited}`;
}

/** What it wrote is long: the first 400 characters have to do, in one line, and `--json` has all of it. */
function ratingLine({ judge, vote, value, text }: RewardVote): string {
  const said = { 1: '+1', 0: 'not understood', '-1': '−1' }[value];
  const words = shortLine(text);
  return `Rating   ${judge}, vote ${vote}: ${said}${words === '' ? '' : `: ${words}`}`;
}

function observationLines(seen: ObservationView): string[] {
  const { call, name, rawArguments, invalid, error, ok, durationMs } = seen;
  const ended =
    ok === null
      ? 'not finished'
      : ok
        ? 'done'
        : `failed${error === null ? '' : `: ${error.code}, ${error.message}`}`;
  return [
    '',
    `Call ${call + 1}   ${name}`,
    ...setOff(rawArguments),
    ...(invalid === null ? [] : [`Not understood: ${invalid}`]),
    ...seen.guards.map(({ level, rule, message }) => `Guard ${rule}, ${level}: ${message}`),
    ...seen.images.map(imageLine),
    ...part(`Observation (${ended}${durationMs === null ? '' : `, ${seconds(durationMs)}`})`, seen.text),
  ];
}

function promptLines({
  step,
  messages,
  tools,
  request,
  tail,
  verified,
  sha256,
  bytes,
  purged,
}: PromptView): string[] {
  if (purged) {
    return [
      `The texts of this run were removed, so the prompt of step ${step} can no longer be shown. What was sent had the sha256 ${sha256}.`,
    ];
  }
  const known =
    sha256 === ''
      ? 'The step was imported, so the exact bytes that were sent are unknown.'
      : verified
        ? `These are the ${bytes} bytes that were sent (sha256 ${sha256}).`
        : `The rebuilt prompt is not the one that was sent (sha256 ${sha256}). Run "verify".`;
  return [
    `Prompt of step ${step}: ${messages.length} messages, ${tools.length} tools. ${known}`,
    ...(tail === '' ? [] : ['The last message ends with what was added to this request only.']),
    ...messages.flatMap(({ role, json, content, images, tokens, step: of }, at) => [
      '',
      `[${at + 1}] ${role}${of === 0 ? '' : ` of step ${of}`}, ${tokens} tokens`,
      ...(images ?? []).map(imageLine),
      ...(content === '' ? [] : setOff(content)),
      ...callsIn(json),
    ]),
    '',
    'Tools',
    ...tools.map((tool) => JSON.stringify(tool)),
    '',
    `Request  ${JSON.stringify(request)}`,
  ];
}

function imageLine({ name, mediaType, width, height, bytes, sha256 }: ImageRef): string {
  return `Image ${name}: ${imageTypeName(mediaType)}, ${width} × ${height} pixels, ${bytes} bytes (sha256 ${sha256})`;
}

/** The calls of an assistant's message as they were sent; a message of another kind has none. */
function callsIn(json: string): string[] {
  const sent = JSON.parse(json) as { tool_calls?: { function: { name: string; arguments: string } }[] };
  return (sent.tool_calls ?? []).flatMap(({ function: { name, arguments: args } }) => [
    `Call     ${name}`,
    ...setOff(args),
  ]);
}

function part(title: string, text: string): string[] {
  return text === '' ? [] : ['', title, ...setOff(text)];
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
