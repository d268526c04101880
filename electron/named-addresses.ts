import { appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import { z } from 'zod';
import { outputFailure } from './files/output-file';
import { originOf } from './model/bound-key';

/** Where a model may be asked, and which environment variable may go there with the request; empty: none. */
export interface ModelAddress {
  /** As `originOf` gives it. */
  origin: string;
  keyEnv: string;
}

const addressSchema = z.object({ origin: z.string().max(2_048), keyEnv: z.string().max(200) });

/** Years of naming a new address every day. */
const MOST_BYTES = 1024 * 1024;

/**
 * Addresses that the person named outside of the settings: by `--base-url` and `--api-key-env`, or in the window of a workspace
 * that is served here. One JSON line each in `model-addresses.jsonl` below the application's data folder; lines are only added,
 * so that several processes may do it at once.
 */
export class NamedAddresses {
  private readonly path: string;

  constructor(private readonly folder: string) {
    this.path = join(folder, 'model-addresses.jsonl');
  }

  /** Read anew each time: another process may have added one. A line that cannot be read allows nothing. */
  has(address: ModelAddress): boolean {
    return this.lines().some((line) => same(line, address));
  }

  /** Does nothing where it is known already. @throws WaymarkError bad_input for no http address; what the disk refuses */
  remember({ baseUrl, keyEnv }: Pick<Endpoint, 'baseUrl' | 'keyEnv'>): void {
    checkAddress(baseUrl);
    const address = { origin: originOf(baseUrl), keyEnv };
    if (this.has(address)) return;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
      const file = openSync(this.path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
      try {
        if (fstatSync(file).size > MOST_BYTES) throw tooLong(this.path);
        appendFileSync(file, `${JSON.stringify(address)}\n`);
      } finally {
        closeSync(file);
      }
    } catch (thrown) {
      throw outputFailure(thrown, this.path);
    }
  }

  private lines(): ModelAddress[] {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return text.split('\n').flatMap((line) => {
      try {
        return [addressSchema.parse(JSON.parse(line))];
      } catch {
        // Empty, or cut off by a full disk: whoever needs it names it once more.
        return [];
      }
    });
  }
}

/** Whether the person named this address, with this variable, in the settings or elsewhere on this machine. */
export function isNamed(
  address: ModelAddress,
  endpoints: readonly Pick<Endpoint, 'baseUrl' | 'keyEnv'>[],
  others: Pick<NamedAddresses, 'has'> | undefined,
): boolean {
  if (address.origin === '') return false;
  const inSettings = endpoints.some(({ baseUrl, keyEnv }) =>
    same({ origin: originOf(baseUrl), keyEnv }, address),
  );
  return inSettings || others?.has(address) === true;
}

function same(one: ModelAddress, other: ModelAddress): boolean {
  return one.origin === other.origin && one.keyEnv === other.keyEnv;
}

/**
 * What a person names as the address of a model. It is recorded with each run, so it holds no secret.
 * @throws WaymarkError bad_input
 */
export function checkAddress(address: string): void {
  if (originOf(address) === '') throw noAddress(address);
  const { username, password, search, hash, host } = new URL(address);
  const typed = /^https?:[\\/]*(?:[^\\/?#]*@)?([^\\/?#]*)/i.exec(address)?.[1] ?? '';
  if (!means(typed, host)) {
    throw new WaymarkError(
      'bad_input',
      `The host "${typed.slice(0, 200)}" means ${host}, because letters of other alphabets and other ways to write a number stand for another name. If that is the host you mean, write ${host}.`,
    );
  }
  if (username === '' && password === '' && search === '' && hash === '') return;
  throw new WaymarkError(
    'bad_input',
    'The address of a model holds no name, password, "?" or "#": it is recorded with each run. Write scheme, host, port and path only, and give the key as a key.',
  );
}

/** Whether what was typed is what will be asked: a person sees no difference between letters that look alike. */
function means(typed: string, host: string): boolean {
  const plain = typed.toLowerCase().replace(/:(?:80|443)?$/, '');
  return plain === host || plain === host.replace(/:(?:80|443)$/, '');
}

/** What is typed as an address of a model and is none. */
function noAddress(address: string): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `"${address.slice(0, 200)}" is no address of a model. Write one that starts with http:// or https://.`,
  );
}

function tooLong(path: string): WaymarkError {
  return new WaymarkError(
    'refused',
    `The list of model addresses in ${path} is too long to grow. Add the endpoint in Settings instead.`,
  );
}
