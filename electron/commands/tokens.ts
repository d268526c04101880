import { WaymarkError } from '@shared/contract/errors';
import type { tokenCommands } from '@shared/contract/ipc/tokens';
import type { Author } from '@shared/log/annotations';
import type { TokenRow } from '../dataset/tokens/conversation';
import type { RememberedTokenizer } from '../dataset/tokens/remembered-tokenizer';
import { RowSource } from '../dataset/tokens/row-source';
import type { TokenThread } from '../dataset/tokens/token-thread';
import type { Store } from '../store/api';
import type { WorkbenchHolder } from '../workbench';
import { hiddenSteps } from './blind-steps';
import type { HandlersOf } from './dispatch';

export interface TokenHandlerOptions {
  holder: WorkbenchHolder;
  /** Who looks: what this person decides blind is not shown before. */
  author(): Author;
  thread: Pick<TokenThread, 'tokenizer' | 'view'>;
  remembered: Pick<RememberedTokenizer, 'folder' | 'remember'>;
  /** Asks for the folder of a tokenizer; null = cancelled. */
  choose(): Promise<string | null>;
}

/** Rows that a window may wait for at a time. */
const mostWaiting = 8;

/** Rows token by token, under the tokenizer that was chosen last. */
export function tokenHandlers(options: TokenHandlerOptions): HandlersOf<typeof tokenCommands> {
  const { holder, thread, remembered } = options;
  const sources = new WeakMap<Store, RowSource>();
  let waiting = 0;
  return {
    'export.tokenizer': async () => {
      const folder = await remembered.folder();
      if (folder === null) return null;
      try {
        return await thread.tokenizer(folder);
      } catch (thrown) {
        if (thrown instanceof WaymarkError && thrown.code === 'not_found') return null;
        throw thrown;
      }
    },
    'export.chooseTokenizer': async () => {
      const folder = await options.choose();
      if (folder === null) return null;
      const tokenizer = await thread.tokenizer(folder);
      await remembered.remember(folder);
      return tokenizer;
    },
    'export.tokens': async (input) => {
      const folder = await remembered.folder();
      if (folder === null) {
        throw new WaymarkError(
          'not_found',
          'No tokenizer was chosen yet. Choose the folder of a model with tokenizer.json and a chat template.',
        );
      }
      if (waiting >= mostWaiting) {
        throw new WaymarkError('system_busy', 'Other rows are still being rendered. Try again in a moment.');
      }
      waiting += 1;
      try {
        const { store } = holder.require();
        const row = await sourceOf(store, sources).find(input.options, input.variant, input.row);
        await refuseBlind(store.reader, row, options.author());
        const { rule, options: asked } = input;
        return await thread.view(folder, row, {
          rule,
          format: asked.format,
          argumentsForm: asked.arguments,
        });
      } finally {
        waiting -= 1;
      }
    },
  };
}

/** Masks tell what others decided. @throws WaymarkError refused while a step of the row is this person's to decide blind */
async function refuseBlind(
  reader: Store['reader'],
  { view, steps }: TokenRow,
  person: Author,
): Promise<void> {
  const isHidden = await hiddenSteps(reader, view.run, person, view.lastStep);
  const first = steps.find((step) => step > 0 && isHidden(step));
  if (first === undefined) return;
  throw new WaymarkError(
    'refused',
    `You still have to decide step ${first} of this row without seeing other opinions, and its tokens would show them. Decide your steps first, or look at another row.`,
  );
}

/** One for each open workspace; what it keeps is forgotten when events or labels come. */
function sourceOf(store: Store, sources: WeakMap<Store, RowSource>): RowSource {
  const known = sources.get(store);
  if (known !== undefined) return known;
  const source = new RowSource(store.reader);
  const changing: ReadonlySet<string> = new Set(['run', 'labels', 'foreign', 'rebuild']);
  store.subscribe(({ kind }) => {
    if (changing.has(kind)) source.forget();
  });
  sources.set(store, source);
  return source;
}
