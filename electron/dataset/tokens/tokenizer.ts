import { WaymarkError } from '@shared/contract/errors';
import type { TokenizerView } from '@shared/contract/export-views';
import { argumentsForm } from './argument-form';
import { ByteLevelTokenizer } from './byte-level';
import { ChatTemplate, frozenDay, type RenderFailure, type TemplateInput } from './jinja/template';
import type { TokenizerFolder } from './tokenizer-folder';

/** A tokenizer and its chat template, read and checked. */
export interface LoadedTokenizer {
  view: TokenizerView;
  tokenizer: ByteLevelTokenizer;
  template: ChatTemplate;
  /** What a template is given besides messages and tools. */
  variables: Record<string, string>;
}

/** @throws WaymarkError bad_input, unsupported: both name the file and the reason */
export function loadTokenizer(read: TokenizerFolder, id: string): LoadedTokenizer {
  const tokenizer = ByteLevelTokenizer.from(read.tokenizer, 'tokenizer.json');
  const template = ChatTemplate.parse(read.template.source, read.template.file);
  const { folder, name, variables } = read;
  const family = familyOf(template.source);
  const form = argumentsForm(template, variables);
  return {
    tokenizer,
    template,
    variables,
    view: {
      id,
      folder,
      name,
      family,
      vocabulary: tokenizer.vocabulary,
      argumentsForm: form.form,
      warnings: [
        ...read.warnings,
        ...form.warnings,
        ...template.unsupported.map(
          (what) => `The template uses ${what}. Rows that reach it cannot be shown.`,
        ),
        ...specialNames
          .filter((token) => template.names(token) && variables[token] === undefined)
          .map((token) => `The template uses ${token}, which tokenizer_config.json does not set.`),
        ...(template.asksForToday
          ? [
              `The template prints today's date. The preview prints ${frozenDay}, so the tokens of the date differ.`,
            ]
          : []),
      ],
    },
  };
}

const specialNames = ['bos_token', 'eos_token'];

/** Family that a template is of, by the tokens it prints; `unknown` otherwise. */
export function familyOf(source: string): string {
  const has = (word: string) => source.includes(word);
  if (has('<|channel|>') && has('<|start|>')) return 'gpt-oss';
  if (has('<\uff5cAssistant\uff5c>')) return 'deepseek-v3';
  if (has('<|start_header_id|>')) return 'llama-3';
  if (has('[gMASK]') || (has('<|assistant|>') && has('<arg_key>'))) return 'glm-4.5';
  if (!has('<|im_start|>')) return 'unknown';
  if (has('<function=')) return has('<think>') ? 'qwen3.5' : 'qwen3-coder';
  if (has('<think>') || has('reasoning_content')) return 'qwen3';
  return has('<tools>') ? 'qwen2.5' : 'chatml';
}

/** What a template said when it stopped, for a person. */
export function templateStopped({ kind, message }: RenderFailure, name: string): WaymarkError {
  const reason = message === '' ? 'it gives no reason' : message.replace(/\.$/, '');
  if (kind === 'unsupported')
    return new WaymarkError(
      'unsupported',
      `The preview cannot render this row with the template of ${name}: ${reason}. A trainer may load it; check the row there.`,
    );
  return new WaymarkError(
    'refused',
    kind === 'raised'
      ? `The template of ${name} refuses this row: ${reason}. A trainer stops here too; choose another template, or leave the row out.`
      : `The template of ${name} fails on this row: ${reason}. A trainer stops here too; try the other form of arguments, or another template.`,
  );
}

/** The text of a rendering. @throws WaymarkError refused, unsupported */
export function rendered(loaded: LoadedTokenizer, input: TemplateInput): string {
  const run = loaded.template.render(input);
  if (run.ok) return run.text;
  throw templateStopped(run.failure, loaded.view.name);
}
