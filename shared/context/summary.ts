import { z } from 'zod';
import { hintName, hintNamesIn, type ModelCall, type Tool } from '../log/event-parts';
import { escapeHumanTag } from './human-tag';

/**
 * The structured summary of a part of the context (APOLLO §3.1.3; the eight parts of its state snapshot). The
 * summariser has one tool, with an argument for each part.
 */
const SUMMARY_TOOL = 'keep_state';

interface Part {
  key: string;
  title: string;
  asked: string;
}

const TEXT_PARTS: readonly Part[] = [
  {
    key: 'target_and_best',
    title: 'Target and best result so far',
    asked: 'The result to beat, the best score reached so far, and exactly which files or settings gave it.',
  },
  {
    key: 'hypotheses',
    title: 'Hypotheses',
    asked:
      'Every idea that was tried, is being tried or should still be tried, one per line, each beginning with OPEN, TESTING, CONFIRMED or REFUTED, with the evidence.',
  },
  {
    key: 'knowledge',
    title: 'Known facts',
    asked:
      'Facts the work depends on: constraints of the task, what data and scripts look like, versions, paths, commands that work, settings with their exact values.',
  },
  {
    key: 'files_and_pages',
    title: 'Files and pages',
    asked:
      'Files that were created, changed, deleted or read, with full paths, contents and state; web pages with their address and what they said.',
  },
  {
    key: 'sessions',
    title: 'Sessions',
    asked:
      'Every open session, by name and computer: its last command, whether that is still running, where its log is, which GPUs it uses.',
  },
  {
    key: 'latest_actions',
    title: 'Latest actions',
    asked: 'The last few actions and their outcomes, and what should be done next.',
  },
  {
    key: 'experiments',
    title: 'Experiments',
    asked:
      'Each experiment and evaluation in order: what was changed, the exact settings, the score or error.',
  },
];

const REFLECTIONS: Part = {
  key: 'reflections',
  title: 'Reflections',
  asked:
    'Lessons of lasting value: mistakes and how to avoid them. Also one for each hint from the user, naming its id and saying what it asks for and how it was or will be followed. Keep the reflections of an earlier summary.',
};

export const summaryTool: Tool = {
  type: 'function',
  function: {
    name: SUMMARY_TOOL,
    description:
      'Saves the state of the work. Anything not in the arguments is forgotten. Every argument is required; write "none" where there is nothing to say.',
    parameters: {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          TEXT_PARTS.map(({ key, asked }) => [key, { type: 'string', description: asked }]),
        ),
        [REFLECTIONS.key]: {
          type: 'array',
          description: REFLECTIONS.asked,
          items: {
            type: 'object',
            properties: {
              hint: {
                type: 'string',
                description: 'Id of the hint it is about, such as hint-3F9K2A; empty if none.',
              },
              text: { type: 'string' },
            },
            required: ['text'],
          },
        },
      },
      required: [...TEXT_PARTS.map(({ key }) => key), REFLECTIONS.key],
    },
  },
};

const reflectionSchema = z.union([
  z.string().transform((text) => ({ hint: '', text })),
  z
    .object({ hint: z.string().nullish(), text: z.string() })
    .transform(({ hint, text }) => ({ hint: hint ?? '', text })),
]);

export interface Summary {
  /** By key of the part. */
  parts: Record<string, string>;
  reflections: { hint: string; text: string }[];
}

/**
 * Reads a summariser's answer; `problem` is the sentence that is sent back to it. `hints`: ids of those that need a reflection,
 * each one that names it.
 */
export function readSummary(
  answer: {
    text: string;
    calls: readonly Pick<ModelCall, 'name' | 'arguments'>[];
    finishReason: string | null;
  },
  hints: readonly string[],
): { ok: true; summary: Summary } | { ok: false; problem: string } {
  const fail = (problem: string) => ({ ok: false as const, problem });
  if (answer.finishReason === 'length') {
    return fail('Your answer was cut off at the token limit. Write a shorter one that fits.');
  }
  const [call, ...more] = answer.calls;
  if (call === undefined) {
    return fail(
      answer.text.trim() === ''
        ? `Your answer was empty. Call ${SUMMARY_TOOL}.`
        : `Your answer contained no call. Put the summary into the arguments of ${SUMMARY_TOOL}.`,
    );
  }
  if (more.length > 0) return fail(`Call ${SUMMARY_TOOL} exactly once.`);
  if (call.name !== SUMMARY_TOOL) {
    return fail(`There is no tool "${call.name.slice(0, 80)}" now. Call ${SUMMARY_TOOL}.`);
  }
  const given = parseObject(call.arguments);
  if (given === null) return fail(`The arguments of ${SUMMARY_TOOL} are not one JSON object.`);
  const parts: Record<string, string> = {};
  const lacking: string[] = [];
  for (const { key } of TEXT_PARTS) {
    const value = textOf(given[key]);
    if (value === '') lacking.push(key);
    else parts[key] = value;
  }
  const reflections = z.array(reflectionSchema).safeParse(given[REFLECTIONS.key]);
  if (!reflections.success) lacking.push(REFLECTIONS.key);
  if (lacking.length > 0 || !reflections.success) {
    return fail(
      `These parts are missing or empty: ${lacking.join(', ')}. Write "none" where there is nothing to say.`,
    );
  }
  const said = reflections.data.filter(({ text }) => text.trim() !== '');
  const problem = reflectionProblem(said, hints.map(hintName));
  if (problem !== null) return fail(problem);
  return { ok: true, summary: { parts, reflections: said } };
}

/** The summary as it stands in the context. */
export function renderSummary({ parts, reflections }: Summary): string {
  const sections = TEXT_PARTS.map(({ key, title }) => `## ${title}\n${(parts[key] ?? '').trim()}`);
  const lessons = reflections.map(({ hint, text }) => {
    const name = hint.trim();
    return `- ${name === '' || text.includes(name) ? '' : `(${name}) `}${text.trim()}`;
  });
  return escapeHumanTag(
    [
      '# Summary of the work so far',
      ...sections,
      `## ${REFLECTIONS.title}\n${lessons.join('\n') || 'none'}`,
    ].join('\n\n'),
  );
}

/** A hint survives every summary: none is dropped because others have more to say of them (semantics, Context). */
function reflectionProblem(said: Summary['reflections'], names: readonly string[]): string | null {
  const named = new Set(said.flatMap(({ hint, text }) => hintNamesIn(`${hint} ${text}`)));
  const open = names.filter((name) => !named.has(name));
  if (open.length > 0) {
    return `Each hint from the user needs a reflection that names its id, even if an earlier summary covered it. No reflection names ${open.join(', ')}.`;
  }
  return said.length < names.length
    ? `The user gave ${names.length} hints. Write a separate reflection for each; there ${said.length === 1 ? 'is' : 'are'} only ${said.length}.`
    : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // The caller says what was wrong; the answer itself is in the log.
    return null;
  }
}

/** Lists and objects are welcome where a text was asked for. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((line) => line !== '')
      .join('\n');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}
