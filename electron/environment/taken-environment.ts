import { eraseInitial } from './initial-block';

/** Variables by name. Reading one that holds a key takes it out of the process's environment. */
export type TakenEnvironment = Readonly<Record<string, string | undefined>> & {
  /** What was taken so far; to be handed to a process of ours by a pipe, and in no other way. */
  taken(): Record<string, string>;
};

/** A name that says that its value is a secret, wherever it comes from. */
const secretName = /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;

/** Every process has these, and they are no keys: who asks for one gets it, and it stays. */
const everyday = new Set(['HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'SHELL', 'TERM', 'TMPDIR', 'USER']);

/**
 * Takes keys out of this process's environment, so that neither a child inherits them nor another process of the user reads
 * them in `/proc/PID/environ`: at once all whose name says that they are secret, and any other when it is asked for. From then on
 * they are in this object's memory only. Made once, by the entry point, before anything is started. `given`: keys that came by a pipe.
 */
export function takenEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  given: Readonly<Record<string, string>> = {},
  erase: (names: readonly string[]) => void = eraseInitial,
): TakenEnvironment {
  const kept = new Map(Object.entries(given));
  const take = (names: readonly string[]) => {
    if (names.length === 0) return;
    for (const name of names) {
      const value = env[name];
      if (value !== undefined) kept.set(name, value);
      delete env[name];
    }
    erase(names);
  };
  take(Object.keys(env).filter((name) => secretName.test(name)));
  return new Proxy({} as TakenEnvironment, {
    get: (_target, name) => {
      if (name === 'taken') return () => Object.fromEntries(kept);
      if (typeof name !== 'string') return undefined;
      if (everyday.has(name)) return env[name];
      if (env[name] !== undefined) take([name]);
      return kept.get(name);
    },
  });
}
