import type { CommandOutput, WorkspaceCommand } from '@shared/contract/ipc';
import type { z } from 'zod';
import { datasetAnswers } from './datasets';
import { experimentAnswers } from './experiments';
import { fileAnswers } from './files';
import { findingAnswers } from './findings';
import { hintAnswers } from './hints';
import { judgeAnswers } from './judging';
import { labelAnswers } from './labels';
import { reviewAnswers } from './review';
import { runAnswers, terminalAnswers } from './runs';
import { searchAnswers } from './search';
import { timelineAnswers } from './timeline';

/**
 * What a server may answer to each command: a server is another person's program. A new command does not compile without its
 * schema, a field that the window reads not without its place in one. What no schema names is left out.
 */
export const answerSchemas = {
  ...runAnswers,
  ...timelineAnswers,
  ...labelAnswers,
  ...hintAnswers,
  ...searchAnswers,
  ...fileAnswers,
  ...terminalAnswers,
  ...reviewAnswers,
  ...findingAnswers,
  ...datasetAnswers,
  ...judgeAnswers,
  ...experimentAnswers,
} satisfies { [C in WorkspaceCommand]: z.ZodType<CommandOutput<C>> };
