import { WaymarkError } from '@shared/contract/errors';
import { TokenThread, tokenLimits } from './token-thread';

/**
 * The form of a call's arguments that the template of a folder wants, for exports with `--arguments auto --tokenizer DIR`. A
 * template that takes either gets the model's own text, and so does one that shows none: their rows train without calls, which the
 * token view says.
 * @param workers folder of the bundled threads; by default where the running bundle lies
 * @throws WaymarkError as `TokenThread.tokenizer`
 */
export async function templateWants(folder: string, workers?: string): Promise<'string' | 'object'> {
  const thread = new TokenThread(tokenLimits, workers);
  try {
    const { argumentsForm } = await thread.tokenizer(folder);
    return argumentsForm === 'object' ? 'object' : 'string';
  } catch (thrown) {
    if (!(thrown instanceof WaymarkError)) throw thrown;
    const { code, message, detail } = thrown;
    const also = 'Or choose the form with --arguments string or --arguments object.';
    throw new WaymarkError(code, `${message} ${also}`, detail, { cause: thrown });
  } finally {
    await thread.close();
  }
}
