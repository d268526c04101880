import type { Endpoint } from '@shared/contract/settings';

/** An endpoint as typed: numbers are text until they are understood. */
export interface EndpointDraft {
  name: string;
  baseUrl: string;
  model: string;
  keyEnv: string;
  contextTokens: string;
  maxTokens: string;
  temperature: string;
  sendReasoning: boolean;
  parallelCalls: boolean;
  images: boolean;
  priceInput: string;
  priceCached: string;
  priceOutput: string;
}

export type DraftField = keyof EndpointDraft;

export function draftOf(endpoint: Endpoint | null): EndpointDraft {
  return {
    name: endpoint?.name ?? '',
    baseUrl: endpoint?.baseUrl ?? '',
    model: endpoint?.model ?? '',
    keyEnv: endpoint?.keyEnv ?? '',
    contextTokens: String(endpoint?.contextTokens ?? 100_000),
    maxTokens: String(endpoint?.maxTokens ?? 8_192),
    temperature: String(endpoint?.temperature ?? 1),
    sendReasoning: endpoint?.sendReasoning ?? false,
    parallelCalls: endpoint?.parallelCalls ?? false,
    images: endpoint?.images ?? false,
    priceInput: endpoint?.price ? String(endpoint.price.input) : '',
    priceCached: endpoint?.price ? String(endpoint.price.cached) : '',
    priceOutput: endpoint?.price ? String(endpoint.price.output) : '',
  };
}

/** The endpoint, or the fields that are wrong. All three prices are given or none. */
export function readDraft(
  draft: EndpointDraft,
  taken: readonly string[],
): { ok: true; endpoint: Endpoint } | { ok: false; wrong: ReadonlySet<DraftField> } {
  const wrong = new Set<DraftField>();
  const name = draft.name.trim();
  const model = draft.model.trim();
  if (name === '' || name.length > 60 || taken.includes(name)) wrong.add('name');
  if (!/^https?:\/\/\S+$/.test(draft.baseUrl.trim())) wrong.add('baseUrl');
  if (model === '') wrong.add('model');
  if (draft.keyEnv !== '' && !/^[A-Za-z_]\w*$/.test(draft.keyEnv.trim())) wrong.add('keyEnv');
  const number = (
    field: 'contextTokens' | 'maxTokens' | 'temperature',
    from: number,
    to: number,
    whole: boolean,
  ) => {
    const value = Number(draft[field]);
    if (draft[field].trim() === '' || !(value >= from && value <= to) || (whole && !Number.isInteger(value)))
      wrong.add(field);
    return value;
  };
  const contextTokens = number('contextTokens', 1_000, 10_000_000, true);
  const maxTokens = number('maxTokens', 1, 10_000_000, true);
  const temperature = number('temperature', 0, 2, false);
  const fields = ['priceInput', 'priceCached', 'priceOutput'] as const;
  const priced = fields.some((field) => draft[field].trim() !== '');
  const [input = 0, cached = 0, output = 0] = fields.map((field) => {
    const value = Number(draft[field]);
    if (priced && (draft[field].trim() === '' || !(value >= 0))) wrong.add(field);
    return value;
  });
  if (wrong.size > 0) return { ok: false, wrong };
  return {
    ok: true,
    endpoint: {
      name,
      baseUrl: draft.baseUrl.trim(),
      model,
      keyEnv: draft.keyEnv.trim(),
      contextTokens,
      maxTokens,
      temperature,
      sendReasoning: draft.sendReasoning,
      parallelCalls: draft.parallelCalls,
      images: draft.images,
      price: priced ? { input, cached, output } : null,
    },
  };
}
