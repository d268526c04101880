import { z } from 'zod';

/** One schema for everything a person can set; stored as `settings.json` in the application's data folder. Holds no secrets. */
export const endpointSchema = z.object({
  /** Name shown in "New run"; unique. */
  name: z.string().min(1).max(60),
  baseUrl: z.url(),
  model: z.string().min(1),
  /** Environment variable that holds the key; empty = the key kept under this endpoint's name in the key store. */
  keyEnv: z.string().default(''),
  /** η·L of APOLLO Algorithm 1, tokens. */
  contextTokens: z.int().min(1_000).default(100_000),
  maxTokens: z.int().min(1).default(8_192),
  temperature: z.number().min(0).max(2).default(1),
  sendReasoning: z.boolean().default(false),
  /** Currency units per million tokens; null = unknown, shown as "?". */
  price: z
    .object({ input: z.number().min(0), cached: z.number().min(0), output: z.number().min(0) })
    .nullable()
    .default(null),
});
export type Endpoint = z.infer<typeof endpointSchema>;

export const settingsSchema = z.object({
  annotator: z.object({ uuid: z.string(), name: z.string().max(80) }).default({ uuid: '', name: '' }),
  /** Identity of this installation in the annotation log. */
  device: z.string().default(''),
  workspace: z.string().nullable().default(null),
  recentWorkspaces: z.array(z.string()).max(10).default([]),
  endpoints: z.array(endpointSchema).default([]),
  theme: z.enum(['system', 'dark', 'light']).default('system'),
  language: z.enum(['system', 'en', 'zh']).default('system'),
  /** Command id → `KeyboardEvent.code` chord such as `KeyT`, `Shift+KeyZ`, `Mod+KeyK`; empty = the default. */
  keys: z.record(z.string(), z.string()).default({}),
  notifications: z
    .object({ finished: z.boolean(), waiting: z.boolean(), failed: z.boolean() })
    .default({ finished: true, waiting: true, failed: true }),
  /** Holds off the machine's idle sleep while a run thinks or acts. */
  keepAwake: z.boolean().default(true),
});
export type Settings = z.infer<typeof settingsSchema>;

/** What a freshly installed application starts from. */
export function defaultSettings(): Settings {
  return settingsSchema.parse({});
}
