import type { TokenizerView } from '@shared/contract/export-views';
import type { ChatTemplate, RenderFailure } from './jinja/template';
import { fromJson, toJson } from './jinja/values';

type Form = TokenizerView['argumentsForm'];

/** No other text of a template holds these words. */
const probe = { probe_path: 'plain "words"', probe_list: [7, { probe_inner: true }] };
const probeText = toJson(fromJson(probe));

const tools = [
  {
    type: 'function',
    function: {
      name: 'probe_tool',
      description: 'Looks.',
      parameters: {
        type: 'object',
        properties: { probe_path: { type: 'string' }, probe_list: { type: 'array', items: {} } },
        required: ['probe_path'],
      },
    },
  },
];

/**
 * What a template wants of a call's arguments, found by rendering a call in both forms: the form is good where nothing is raised
 * and the arguments are in the text once, not as JSON within JSON.
 */
export function argumentsForm(
  template: ChatTemplate,
  variables: Record<string, string>,
): { form: Form; warnings: string[] } {
  const asText = tried(template, variables, probeText);
  const asObject = tried(template, variables, probe);
  const form: Form = asText.ok ? (asObject.ok ? 'either' : 'string') : asObject.ok ? 'object' : 'neither';
  const warnings =
    form === 'neither'
      ? [
          asText.why === asObject.why
            ? `The template does not show the arguments of calls in either form: ${asText.why}.`
            : `The template does not show the arguments of calls in either form. Text: ${asText.why}. Object: ${asObject.why}.`,
        ]
      : [];
  return { form, warnings };
}

interface Tried {
  ok: boolean;
  why: string;
}

function tried(template: ChatTemplate, variables: Record<string, string>, args: unknown): Tried {
  const call = { id: 'call_1', type: 'function', function: { name: 'probe_tool', arguments: args } };
  const run = template.render({
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Seen.' },
      { role: 'assistant', content: 'Done.' },
    ],
    tools,
    addGenerationPrompt: false,
    variables,
  });
  if (!run.ok) return { ok: false, why: stopped(run.failure) };
  if (encodedTwice(run.text)) return { ok: false, why: 'they are encoded twice' };
  return shown(run.text) ? { ok: true, why: '' } : { ok: false, why: 'they are left out' };
}

function stopped({ message }: RenderFailure): string {
  return `it stops: ${message.replace(/\.$/, '')}`;
}

function encodedTwice(text: string): boolean {
  return text.includes('\\"probe_path\\"') || text.includes("'probe_path'");
}

/** As JSON with either spacing, or key by key. */
function shown(text: string): boolean {
  if (text.includes(probeText) || text.includes(JSON.stringify(probe))) return true;
  const value = text.lastIndexOf('plain "words"') >= 0 || text.includes(JSON.stringify(probe.probe_path));
  return value && text.includes('probe_path') && text.includes('probe_inner');
}
