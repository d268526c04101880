import { readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { z } from 'zod';
import { readRegularFile } from '../../files/regular-file';
import { mostTemplate } from './jinja/template';

/** What a folder of a model holds that says how conversations become tokens. */
export interface TokenizerFolder {
  folder: string;
  name: string;
  /** Content of `tokenizer.json`. */
  tokenizer: unknown;
  template: { source: string; file: string };
  /** Special tokens that a template may print, such as `bos_token`. */
  variables: Record<string, string>;
  warnings: string[];
}

const mostTokenizer = 128 * 1024 * 1024;
const mostConfig = 16 * 1024 * 1024;
const kept = 'No tokenizer was chosen.';

const tokenText = z.union([z.string(), z.looseObject({ content: z.string() })]);
const named = z.array(z.looseObject({ name: z.string(), template: z.string() }));
const configFile = z.looseObject({
  chat_template: z.union([z.string(), named]).nullable().optional(),
});

/**
 * Reads `tokenizer.json`, `tokenizer_config.json` and `chat_template.jinja` of a folder. The template file goes before the field of
 * the configuration, as in transformers; of a list of templates the one named `tool_use` is taken where there is one, because rows
 * hold tools, and `default` otherwise.
 * @throws WaymarkError not_found: a file is missing, which is named; bad_input: it cannot be read
 */
export async function readTokenizerFolder(folder: string): Promise<TokenizerFolder> {
  const tokenizer = json(await read(folder, 'tokenizer.json', mostTokenizer), 'tokenizer.json');
  const configText = await readIfThere(folder, 'tokenizer_config.json', mostConfig);
  const parsed = configFile.safeParse(configText === null ? {} : json(configText, 'tokenizer_config.json'));
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new WaymarkError(
      'bad_input',
      `tokenizer_config.json is not valid at "${where}". ${kept} Download the folder of the model again.`,
    );
  }
  const config = parsed.data;
  const own = await readIfThere(folder, 'chat_template.jinja', mostTemplate);
  const { template, warnings } =
    own === null
      ? fromConfig(config.chat_template, folder)
      : { template: { source: own, file: 'chat_template.jinja' }, warnings: [] };
  return {
    folder,
    name: nameOf(folder),
    tokenizer,
    template,
    variables: specialTokens(config),
    warnings,
  };
}

function fromConfig(
  given: z.infer<typeof configFile>['chat_template'],
  folder: string,
): Pick<TokenizerFolder, 'template' | 'warnings'> {
  const file = 'tokenizer_config.json';
  if (typeof given === 'string') return { template: { source: given, file }, warnings: [] };
  const list = given ?? [];
  const chosen = list.find(({ name }) => name === 'tool_use') ?? list.find(({ name }) => name === 'default');
  if (chosen === undefined) {
    throw new WaymarkError(
      'not_found',
      list.length === 0
        ? `${folder} has no chat template: neither a file chat_template.jinja nor a chat_template in tokenizer_config.json. ${kept} Choose the folder of a model for chats, or put its chat_template.jinja there.`
        : `The templates in ${file} are named ${list.map(({ name }) => name).join(', ')}; none is named tool_use or default. ${kept} Put the one to use into chat_template.jinja.`,
    );
  }
  const warnings =
    list.length === 1
      ? []
      : [
          `The folder has ${list.length} templates; the one named ${chosen.name} is used. A trainer may choose another.`,
        ];
  return { template: { source: chosen.template, file: `${file} (${chosen.name})` }, warnings };
}

function specialTokens(config: z.infer<typeof configFile>): Record<string, string> {
  const names = ['bos_token', 'eos_token', 'pad_token', 'unk_token', 'sep_token', 'cls_token', 'mask_token'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = tokenText.safeParse(config[name]);
      if (!value.success) return [];
      return [[name, typeof value.data === 'string' ? value.data : value.data.content]];
    }),
  );
}

async function read(folder: string, file: string, most: number): Promise<string> {
  const bytes = await readRegularFile(await placeOf(folder, file), join(folder, file), most, kept);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new WaymarkError('bad_input', `${join(folder, file)} is not UTF-8 text. ${kept}`);
  }
}

async function readIfThere(folder: string, file: string, most: number): Promise<string | null> {
  try {
    return await read(folder, file, most);
  } catch (thrown) {
    if (thrown instanceof WaymarkError && thrown.code === 'not_found') return null;
    throw thrown;
  }
}

/**
 * Where the file is. In a snapshot of Hugging Face's cache each file is a link to `../../blobs/HASH`; that one form is resolved
 * here, by name, and no other link is followed.
 */
async function placeOf(folder: string, file: string): Promise<string> {
  const path = join(folder, file);
  if (basename(dirname(folder)) !== 'snapshots') return path;
  const target = await readlink(path).catch(() => '');
  const blob = /^\.\.\/\.\.\/blobs\/([0-9a-f]{40,64})$/.exec(target)?.[1];
  return blob === undefined ? path : join(dirname(dirname(folder)), 'blobs', blob);
}

/** As people know it: a snapshot's folder is named by a hash. */
function nameOf(folder: string): string {
  const parent = dirname(folder);
  if (basename(parent) !== 'snapshots') return basename(folder);
  return basename(dirname(parent))
    .replace(/^models--/, '')
    .replaceAll('--', '/');
}

function json(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WaymarkError(
      'bad_input',
      `${name} is not JSON. ${kept} If it begins with "version https://git-lfs", fetch the file itself with git lfs.`,
    );
  }
}
