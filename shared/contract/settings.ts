import { z } from 'zod';
import { knownComputerSchema } from './computers';
import { WaymarkError } from './errors';

/** One schema for everything a person can set; stored as `settings.json` in the application's data folder. Holds no secrets. */
export const endpointSchema = z.object({
  /** Name shown in "New run"; unique. */
  name: z.string().min(1).max(60),
  baseUrl: z.url().max(2_048),
  model: z.string().min(1).max(200),
  /** Environment variable that holds the key; empty = the key kept under this endpoint's name in the key store. */
  keyEnv: z.string().max(200).default(''),
  /** η·L of APOLLO Algorithm 1, tokens. */
  contextTokens: z.int().min(1_000).default(100_000),
  maxTokens: z.int().min(1).default(8_192),
  temperature: z.number().min(0).max(2).default(1),
  sendReasoning: z.boolean().default(false),
  /** False: the model is asked for one call per answer, where the endpoint knows such a request. */
  parallelCalls: z.boolean().default(false),
  /** The model takes images (`image_url` parts): actions may show it some. */
  images: z.boolean().default(false),
  /** Currency units per million tokens; null = unknown, shown as "?". */
  price: z
    .object({ input: z.number().min(0), cached: z.number().min(0), output: z.number().min(0) })
    .nullable()
    .default(null),
});
export type Endpoint = z.infer<typeof endpointSchema>;

const folder = z.string().max(4_096);

/** Everything has a size: settings come from the window, are kept in memory and are written whole at every change. */
const fields = {
  annotator: z.object({ uuid: z.string().max(120), name: z.string().max(80) }),
  /** Identity of this installation in the annotation log. */
  device: z.string().max(120),
  workspace: folder.nullable(),
  recentWorkspaces: z.array(folder).max(10),
  endpoints: z.array(endpointSchema).max(100),
  theme: z.enum(['system', 'dark', 'light']),
  language: z.enum(['system', 'en', 'zh']),
  /** Command id → chord such as `t`, `Shift+z`, `Mod+k` (older files: `KeyT`); empty = the default. */
  keys: z
    .record(z.string().max(80), z.string().max(80))
    .refine((keys) => Object.keys(keys).length <= 500, 'more than 500 keys'),
  notifications: z.object({
    finished: z.boolean(),
    waiting: z.boolean(),
    failed: z.boolean(),
    /** A host is lost, steps fail in a row, GPUs are idle. */
    urgent: z.boolean().default(true),
    /** Falling scores, budgets, standstills, costly habits. */
    findings: z.boolean().default(false),
    /** Most notifications per task in an hour; 0 = none. */
    perHour: z.int().min(0).max(60).default(3),
  }),
  /** Holds off the machine's idle sleep while a run thinks or acts. */
  keepAwake: z.boolean(),
  /** Decisions carry how long the person took, for who leads to see. */
  shareTimes: z.boolean(),
  /** Hosts reached over SSH, by alias of the user's ssh configuration. */
  computers: z.array(knownComputerSchema).max(200),
};

/** Some of the settings; what is not named is left alone (a schema with defaults would fill it in). */
export const settingsChangeSchema = z.object(fields).partial();

export const settingsSchema = z.object({
  annotator: fields.annotator.default({ uuid: '', name: '' }),
  device: fields.device.default(''),
  workspace: fields.workspace.default(null),
  recentWorkspaces: fields.recentWorkspaces.default([]),
  endpoints: fields.endpoints.default([]),
  theme: fields.theme.default('system'),
  language: fields.language.default('system'),
  keys: fields.keys.default({}),
  notifications: fields.notifications.default({
    finished: true,
    waiting: true,
    failed: true,
    urgent: true,
    findings: false,
    perHour: 3,
  }),
  keepAwake: fields.keepAwake.default(true),
  shareTimes: fields.shareTimes.default(false),
  computers: fields.computers.default([]),
});
export type Settings = z.infer<typeof settingsSchema>;

/** @throws WaymarkError not_found */
export function namedEndpoint(settings: Settings, name: string): Endpoint {
  const found = settings.endpoints.find((endpoint) => endpoint.name === name);
  if (found !== undefined) return found;
  throw new WaymarkError('not_found', `There is no model endpoint named "${name}". Add it in Settings.`);
}

/** What a freshly installed application starts from. */
export function defaultSettings(): Settings {
  return settingsSchema.parse({});
}
