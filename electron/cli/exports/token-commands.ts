import { resolve } from 'node:path';
import { type RowReasoning, rowReasonings } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import {
  type ExportFormat,
  exportFormats,
  exportRequestSchema,
  exportVariants,
} from '@shared/contract/export-request';
import { type TokenRule, type TokenView, tokenRules } from '@shared/contract/export-views';
import { RowSource } from '../../dataset/tokens/row-source';
import { TokenThread, tokenLimits } from '../../dataset/tokens/token-thread';
import { type Arguments, oneOf, positive, required } from '../arguments';
import type { CliContext } from '../context';
import { type CommandResult, counted } from '../output';
import { named } from '../run-commands';

/**
 * `export tokens`: one row as a trainer sees it, under the tokenizer of a folder.
 * @param workers folder of the bundled threads; by default where the running bundle lies
 */
export async function tokensCommand(
  context: CliContext,
  args: Arguments,
  workers?: string,
): Promise<CommandResult> {
  const { values, words } = args;
  const folder = resolve(required(values.tokenizer, '--tokenizer'));
  if (values.run !== undefined && values.run.length > 1)
    throw new WaymarkError('bad_input', 'One row has one run. Give --run once.');
  const run = await named(context, required(values.run?.[0], '--run'));
  const segment = positive(required(values.segment, '--segment'), '--segment') ?? 1;
  // `--kind` takes no value elsewhere, so that the word behind it is one of the command's.
  const kind = oneOf<'react' | 'summary'>(
    values.kind ? (words[2] ?? '') : undefined,
    ['react', 'summary'],
    'react',
    '--kind',
  );
  const format = oneOf<ExportFormat>(values.format, exportFormats, 'slime', '--format');
  const form = oneOf<'auto' | 'string' | 'object'>(
    values.arguments,
    ['auto', 'string', 'object'],
    'auto',
    '--arguments',
  );
  const options = exportRequestSchema.parse({
    format,
    arguments: form,
    runs: [run],
    preset: oneOf<'default' | 'apollo'>(values.preset, ['default', 'apollo'], 'default', '--preset'),
    undecided: oneOf<'refuse' | 'train' | 'mask'>(
      values.undecided,
      ['refuse', 'train', 'mask'],
      'refuse',
      '--undecided',
    ),
    ...(values.reasoning === undefined
      ? {}
      : { reasoning: oneOf<RowReasoning>(values.reasoning, rowReasonings, 'as-sent', '--reasoning') }),
  });
  const variant = oneOf(values.variant?.[0], exportVariants, 'all', '--variant');
  const row = await new RowSource(context.reader).find(options, variant, { run, segment, kind });
  const thread = new TokenThread(tokenLimits, workers);
  try {
    const rule = oneOf<TokenRule>(values.rule, tokenRules, 'auto', '--rule');
    const view = await thread.view(folder, row, { rule, format, argumentsForm: form });
    return { json: view, lines: linesOf(view) };
  } finally {
    await thread.close();
  }
}

function linesOf(view: TokenView): string[] {
  const { ids, trainedTokens, maskedTokens, rule, argumentsForm, messages, warnings } = view;
  return [
    `${counted(ids.length, 'token')}, ${trainedTokens} trained, ${maskedTokens} masked, by the rule ${rule}, arguments as ${argumentsForm}.`,
    ...messages
      .filter(({ role }) => role === 'assistant')
      .map(({ index, step, loss, trainedTokens: trained, tokens, reason }) => {
        const why = reason === undefined ? '' : `, ${reason}`;
        return `message ${index + 1}${step === 0 ? '' : `, step ${step}`}: ${loss}${why}, ${trained} of ${counted(tokens, 'token')} trained`;
      }),
    ...messages.flatMap(({ index, lost }) =>
      lost.map(
        ({ part, name, excerpt }) =>
          `message ${index + 1}: the template leaves out its ${part}${name === '' ? '' : ` ${name}`}: ${excerpt}`,
      ),
    ),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}
