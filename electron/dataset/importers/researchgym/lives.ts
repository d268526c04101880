import { WaymarkError } from '@shared/contract/errors';
import type { GymNode, NodeMessage } from './node';
import { isMadeUp, timeOf } from './node';
import { type GymTurn, headLength, turnKey, turnOfNode, turnsOfPrompt } from './turns';

/** One context life: a branch below the tree's root. */
export interface GymLife {
  head: { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** Turns of earlier lives that stand in this context, in order. */
  carried: GymTurn[];
  own: GymTurn[];
  /** The summary turn that opened it, with its prompt; null for the first, or when its node is missing. */
  summary: { turn: GymTurn; prompt: NodeMessage[] } | null;
}

export interface GymRun {
  lives: GymLife[];
  /** In words: what the source holds and the run does not. */
  left: string[];
  /** Of the root node. */
  root: Record<string, unknown>;
}

/**
 * Nodes → context lives in time order. Each child of the root opens one (a summary node, or the first step); what was not
 * summarised stands below it again as duplicates, which are the same steps. Where nodes are missing, the prompt of the next
 * one that is there tells what came before.
 */
export function livesOf(nodes: readonly GymNode[]): GymRun {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const roots = nodes.filter((node) => node.node_type === 'root');
  if (roots.length > 1) {
    throw new WaymarkError(
      'bad_input',
      `${filesOf(nodes)} hold ${roots.length} trees. Nothing was imported. Import them one by one.`,
    );
  }
  const left: string[] = [];
  const tops = nodes
    .filter(({ node_type, parent_id }) => {
      if (node_type === 'root') return false;
      const parent = parent_id == null ? undefined : known.get(parent_id);
      return parent === undefined || parent.node_type === 'root';
    })
    .sort((a, b) => (timeOf(a.timestamp) ?? 0) - (timeOf(b.timestamp) ?? 0));
  const lives: GymLife[] = [];
  for (const chain of chainsFrom(tops, nodes, left)) {
    const life = lifeOf(chain, lives.at(-1), left);
    if (life === null) continue;
    tellBack(lives.at(-1)?.own ?? [], life.carried);
    lives.push(life);
  }
  if (lives.every(({ own }) => own.length === 0)) {
    throw new WaymarkError(
      'bad_input',
      `${filesOf(nodes)} contain no answer from a model. Nothing was imported. Name a node, a tree or the folder of a checkpoint.`,
    );
  }
  const { messages, response, children, ...root } = (roots[0] ?? {}) as Record<string, unknown>;
  return { lives, left, root };
}

/** The files the nodes came from, in words. */
function filesOf(nodes: readonly GymNode[]): string {
  const names = [...new Set(nodes.map(({ file }) => file))];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `The files ${names.slice(0, 3).join(', ')}${more}`;
}

/** What a later context shows of a step: what the model read of it, verbatim, and what a person said after it. */
function tellBack(own: GymTurn[], carried: readonly GymTurn[]): void {
  const known = new Map(carried.map((turn) => [turnKey(turn), turn]));
  for (const [index, turn] of own.entries()) {
    const shown = known.get(turnKey(turn));
    if (shown !== undefined) {
      own[index] = { ...turn, observed: shown.observed ?? turn.observed, human: turn.human ?? shown.human };
    }
  }
}

/** Each top with what follows it. Where a node has several followers the latest is taken, and the others are named. */
function chainsFrom(tops: readonly GymNode[], nodes: readonly GymNode[], left: string[]): GymNode[][] {
  const children = new Map<string, GymNode[]>();
  for (const node of nodes) {
    if (node.parent_id == null) continue;
    const siblings = children.get(node.parent_id);
    if (siblings === undefined) children.set(node.parent_id, [node]);
    else siblings.push(node);
  }
  const orphans = tops.filter((top) => top.node_type === 'react' && (top.depth ?? 1) > 1);
  const followed = tops.map((top) => {
    const chain = [top];
    for (let at: GymNode | undefined = top; at !== undefined; ) {
      const next: GymNode[] = [...(children.get(at.id) ?? [])].sort(
        (a, b) => (timeOf(a.timestamp) ?? 0) - (timeOf(b.timestamp) ?? 0),
      );
      at = next.at(-1);
      if (at !== undefined) chain.push(at);
      for (const other of next.slice(0, -1)) left.push(`Node ${other.id}: a branch beside the one taken.`);
    }
    return chain;
  });
  // Loose nodes of one life: the prompt of a later one holds the earlier ones, so each joins the chain it lies in.
  if (orphans.length < 2) return followed;
  return joined(followed);
}

function joined(chains: GymNode[][]): GymNode[][] {
  const result: GymNode[][] = [];
  for (const chain of chains) {
    const first = chain[0];
    const before = result.at(-1);
    const last = before?.at(-1);
    const calls = new Set(last?.response?.tool_calls?.map(({ call_id }) => call_id));
    const inside =
      first !== undefined &&
      last?.response != null &&
      first.node_type !== 'summary' &&
      (first.messages ?? []).some(({ tool_call }) => tool_call != null && calls.has(tool_call.call_id));
    if (inside && before !== undefined) before.push(...chain);
    else result.push([...chain]);
  }
  return result;
}

function lifeOf(chain: readonly GymNode[], before: GymLife | undefined, left: string[]): GymLife | null {
  const opener = chain[0]?.node_type === 'summary' ? chain[0] : null;
  const answers = chain.filter((node) => node.node_type === 'react' && node.response != null);
  const fabricated = answers.filter(isMadeUp);
  const real = answers.filter((node) => !isMadeUp(node));
  const generated = real.filter(({ source }) => source !== 'duplicate');
  // Within one life prompts only grow: the longest tells most, also of nodes that are missing between others. A duplicate's own
  // prompt is that of its first life.
  const first = generated.reduce<GymNode | undefined>(
    (longest, node) => ((node.messages ?? []).length > (longest?.messages ?? []).length ? node : longest),
    undefined,
  );
  const prompt = first?.messages ?? [];
  if (first === undefined && opener === null) return null;
  const length = headLength(prompt);
  const turns = first === undefined ? [] : turnsOfPrompt(prompt, length, `${first.file} ${first.id}`);
  const carried = before === undefined ? 0 : suffixOf([...before.carried, ...before.own], turns);
  const own: GymTurn[] = turns.slice(carried);
  const places = new Map<string, number>();
  for (const [at, turn] of own.entries()) if (!places.has(turnKey(turn))) places.set(turnKey(turn), at);
  for (const [index, node] of generated.entries()) {
    const next = generated[index + 1]?.messages ?? null;
    const turn = turnOfNode(node, next !== null && next.length > 0 ? next : null);
    const told = places.get(turnKey(turn));
    const shown = told === undefined ? undefined : turns[told + carried];
    if (told !== undefined && shown !== undefined) {
      const { observed, human } = shown;
      own[told] = { ...turn, observed: observed ?? turn.observed, human: turn.human ?? human };
    } else own.push(turn);
  }
  for (const node of fabricated) {
    left.push(`Node ${node.id}: a call of "summarize" that the program made up; no model was asked.`);
  }
  const summary = opener === null ? null : { turn: turnOfNode(opener, null), prompt: opener.messages ?? [] };
  if (summary !== null && opener?.summary_content != null) {
    summary.turn.unknown = { ...summary.turn.unknown, summary_content: opener.summary_content };
  }
  return {
    head: prompt
      .slice(0, length)
      .flatMap(({ role, content }) => (role === 'tool' ? [] : [{ role, content: content ?? '' }])),
    carried: turns.slice(0, carried),
    own,
    summary,
  };
}

/**
 * How many of `turns`, from the first on, are the end of what stood in the context before. As Knuth, Morris and Pratt: every
 * turn is looked at a bounded number of times, also where all are alike.
 */
function suffixOf(before: readonly GymTurn[], turns: readonly GymTurn[]): number {
  const wanted = turns.map(turnKey);
  const back: number[] = [];
  const longer = (length: number, key: string): number => {
    let known = length;
    while (known > 0 && (known === wanted.length || wanted[known] !== key)) known = back[known - 1] ?? 0;
    return wanted[known] === key ? known + 1 : known;
  };
  for (const [index, key] of wanted.entries()) back.push(index === 0 ? 0 : longer(back[index - 1] ?? 0, key));
  return before.reduce((length, turn) => longer(length, turnKey(turn)), 0);
}
