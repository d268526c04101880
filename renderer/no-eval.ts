/**
 * Zod tries whether it may make functions from text, which the content policy reports as broken. It reads this object
 * when it is loaded, with whichever schema comes first; to call its own `config` would load it with the first chunk.
 */
Reflect.set(globalThis, '__zod_globalConfig', { jitless: true });
