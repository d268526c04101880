import { z } from 'zod';
import { exportRequestSchema, exportVariants } from '../export-request';
import { type TokenizerView, type TokenView, tokenRules } from '../export-views';
import { type CommandRows, none, returns, run } from './parts';

/** A row of the plan, by its place in it, or by what it is made from. */
export const tokenRow = z.union([
  z.object({ index: z.int().nonnegative() }),
  z.object({ run, segment: z.int().positive(), kind: z.enum(['react', 'summary']).default('react') }),
]);

export const tokensSchema = z.object({
  /** As for the export: what decides which rows there are and what they hold. */
  options: exportRequestSchema,
  variant: z.enum(exportVariants).default('all'),
  row: tokenRow,
  /** By whose rule tokens get loss; `auto`: as the trainer of `options.format` does under this template. */
  rule: z.enum(tokenRules).default('auto'),
});

/** Rows as a trainer sees them, token by token, under a tokenizer from files that a person has. */
export const tokenCommands = {
  /** The folder that was chosen last; null: none, or it is gone. @throws why it cannot be used any more */
  'export.tokenizer': {
    input: none,
    output: returns<TokenizerView | null>(),
    place: 'window',
    consent: 'free',
  },
  /** Asks for the folder in the main process and reads it; null = cancelled. Refused: the one before is kept. */
  'export.chooseTokenizer': {
    input: none,
    output: returns<TokenizerView | null>(),
    place: 'window',
    consent: 'native',
  },
  /** @throws not_found without a chosen tokenizer, or without such a row; timed_out for a template that does not end */
  'export.tokens': {
    input: tokensSchema,
    output: returns<TokenView>(),
    place: 'disk',
    consent: 'free',
    there: 'export tokens --tokenizer DIR --run RUN --segment N',
  },
} as const satisfies CommandRows;
