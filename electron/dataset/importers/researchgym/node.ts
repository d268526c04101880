import { z } from 'zod';

/** Shapes of ResearchGym's files: one node = the prompt, the answer and what came of it. Unknown fields are kept. */
const toolCall = z.looseObject({
  call_id: z.string(),
  name: z.string(),
  arguments: z.unknown(),
});

export const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_call: toolCall.nullish(),
  tool_result: z.looseObject({ call_id: z.string(), name: z.string(), content: z.string() }).nullish(),
});
export type NodeMessage = z.infer<typeof messageSchema>;

const responseSchema = z.looseObject({
  content: z.string().nullish(),
  reasoning: z.string().nullish(),
  usage: z.record(z.string(), z.unknown()).nullish(),
  model: z.string().nullish(),
  finish_reason: z.string().nullish(),
  tool_calls: z.array(z.unknown()).max(1_000).pipe(z.array(toolCall)).nullish(),
});

const fields = {
  id: z.string().min(1),
  parent_id: z.string().nullish(),
  timestamp: z.string().nullish(),
  node_type: z.enum(['root', 'react', 'summary', 'done']),
  source: z.string().nullish(),
  depth: z.number().nullish(),
  // Each looked at by itself: of a million that are none, the first is enough to know.
  messages: z.array(z.unknown()).nullish(),
  response: responseSchema.nullish(),
  observation: z.record(z.string(), z.unknown()).nullish(),
  action: z.record(z.string(), z.unknown()).nullish(),
  summary_content: z.string().nullish(),
};
const known = z.object(fields);
const bareNode = z.looseObject({ ...fields, children: z.array(z.unknown()).optional() });

/** A node of the tree, its children apart; at run time it also holds the fields that nobody knows. */
export interface GymNode extends Omit<z.infer<typeof known>, 'messages'> {
  messages?: NodeMessage[] | null | undefined;
  /** Name of the file it was found in. */
  file: string;
}

/** Levels that the fields of one node may have; children are nodes of their own. */
export const mostNesting = 100;

/** Nesting of a tree file is as deep as its longest branch; so it is walked without recursion. */
export function nodesOf(value: unknown, file: string): { nodes: GymNode[]; problem: string | null } {
  const nodes: GymNode[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const parsed = bareNode.safeParse(open.pop());
    if (!parsed.success) return { nodes, problem: said(parsed.error) };
    const { children = [], ...node } = parsed.data;
    if (nestsBeyond(node, mostNesting))
      return { nodes, problem: `Node ${node.id} nests deeper than ${mostNesting} levels` };
    for (const [index, message] of (node.messages ?? []).entries()) {
      const one = messageSchema.safeParse(message);
      if (!one.success) return { nodes, problem: `messages.${index}.${said(one.error)}` };
    }
    nodes.push({ ...node, messages: node.messages as NodeMessage[] | null | undefined, file });
    // The first child is read first, so the order of the file is kept.
    for (let last = children.length - 1; last >= 0; last -= 1) open.push(children[last]);
  }
  return { nodes, problem: null };
}

function said({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join('.') ?? '';
  return `${place === '' ? 'It' : place}: ${issue?.message ?? 'not understood'}`;
}

/** Whether a value parsed from JSON has more levels than `most`: what is kept of it is written as JSON again. */
export function nestsBeyond(value: unknown, most: number): boolean {
  const open: { value: unknown; level: number }[] = [{ value, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.level >= most) return true;
    for (const each of Object.values(next.value)) open.push({ value: each, level: next.level + 1 });
  }
  return false;
}

/** A call that the reference program made up: for its own summaries, or for an answer without any call. */
export function isMadeUp(node: Pick<GymNode, 'response' | 'messages'>): boolean {
  const name = node.response?.tool_calls?.[0]?.name;
  return name === 'summarize' && (node.messages ?? []).length === 0;
}

/** ms since 1970 of a node's local timestamp, read as UTC; null when there is none. */
export function timeOf(timestamp: string | null | undefined): number | null {
  if (timestamp === null || timestamp === undefined) return null;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(timestamp) ? timestamp : `${timestamp}Z`;
  const ms = Date.parse(zoned);
  return Number.isFinite(ms) ? ms : null;
}
