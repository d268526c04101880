import type { HostFacts, HostGpu, HostReport, StageView, TransportKind } from '@shared/contract/computers';
import type { LinkClock } from '../../clock';
import type { AgentClient } from '../agent/agent-client';
import { AgentRefusal, ChannelLost } from '../agent/agent-failures';
import type { HelloFacts } from '../agent/hello';
import { gpuScript, noGpuTool, parseGpus } from './gpu';
import { bytesText, hostLimits, isNetworkFileSystem, isSpare, scarceBytes } from './host-limits';
import { type AgentConnection, ConnectAttempt, type HelperStarter } from './link/connect-attempt';
import { StageBoard } from './link/stage-board';
import { ConnectFailure, type HostTransport, type PromptPort } from './transport';

const gpuLimitMs = 10_000;

export interface HostTestOrder {
  alias: string;
  kind: TransportKind;
  transport: HostTransport;
  helper: HelperStarter;
  prompts: PromptPort;
  clock: LinkClock;
  onStages: (stages: StageView[]) => void;
  signal: AbortSignal;
}

/**
 * Looks at a host stage by stage over a connection of its own, which is closed at the end. What a stage finds is in the
 * report, also when it is the end. @throws the signal's reason only
 */
export async function testHost(order: HostTestOrder): Promise<HostReport> {
  const { alias, transport, helper, prompts, clock, signal } = order;
  signal.throwIfAborted();
  const board = new StageBoard(clock, order.onStages);
  const onStage = board.report.bind(board);
  const attempt = new ConnectAttempt({ alias, transport, helper, prompts, clock, onStage });
  const onAbort = () => attempt.cancel(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const report = (facts: HostFacts | null, limits: string[]): HostReport => ({
    alias,
    transport: order.kind,
    at: clock.now(),
    ok: board.ok,
    stages: board.view(),
    facts,
    limits,
  });
  try {
    const connection = await attempt.connection;
    try {
      const found = await lookAround(connection, board, order);
      return report(found.facts, found.limits);
    } finally {
      connection.client.close();
      connection.channel.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    board.fail(stageOf(error), messageOf(error, alias));
    return report(null, []);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function lookAround(
  { client, facts }: AgentConnection,
  board: StageBoard,
  { alias, clock, signal }: HostTestOrder,
): Promise<{ facts: HostFacts; limits: string[] }> {
  board.connected();
  if (facts.bash === '') {
    board.report({
      stage: 'shell',
      state: 'failed',
      message: `${alias} has no bash, and sessions need it. Install bash there, then test again.`,
    });
  }
  board.report({ stage: 'disk', state: 'running', message: 'Looking at the disk.' });
  board.report({ stage: 'disk', ...diskVerdict(facts) });
  const { roundTripMs, now } = await client.ping();
  const clockOffsetMs = Math.round(now - (clock.now() - roundTripMs / 2));
  board.report({ stage: 'gpu', state: 'running', message: 'Asking nvidia-smi.' });
  const { gpus, ...gpuVerdict } = await lookForGpus(client, facts, signal);
  board.report({ stage: 'gpu', ...gpuVerdict });
  return {
    facts: {
      hostname: facts.hostname,
      user: facts.user,
      platform: facts.platform,
      cpus: facts.cpus,
      memoryBytes: facts.memoryBytes,
      bashVersion: facts.bashVersion,
      helper: facts.helper,
      supervisor: facts.helper,
      sessionsDir: facts.base,
      fileSystem: facts.baseFileSystem,
      freeBytes: facts.freeBytes,
      totalBytes: facts.totalBytes,
      clockOffsetMs,
      gpus,
    },
    limits: hostLimits(facts),
  };
}

interface Verdict {
  state: 'ok' | 'warning' | 'skipped' | 'failed';
  message: string;
}

function diskVerdict(facts: HelloFacts): Verdict {
  const { base, baseFileSystem, baseWhy, freeBytes, totalBytes } = facts;
  const space = `${bytesText(freeBytes)} of ${bytesText(totalBytes)} are free (${baseFileSystem}).`;
  if (base === '') {
    const message = `There is no place for sessions: ${baseWhy} Make room for them on a local disk there.`;
    return { state: 'failed', message };
  }
  if (isNetworkFileSystem(baseFileSystem)) {
    return {
      state: 'warning',
      message: `Sessions go to ${base}, which is on a network file system. ${space} ${baseWhy}`.trim(),
    };
  }
  if (totalBytes > 0 && freeBytes < scarceBytes) {
    return { state: 'warning', message: `Sessions go to ${base}, where only ${space} Make room there.` };
  }
  if (isSpare(base)) return { state: 'warning', message: `Sessions go to ${base}: ${baseWhy} ${space}` };
  return { state: 'ok', message: `Sessions go to ${base}. ${space}` };
}

/** @throws ChannelLost, the signal's reason */
async function lookForGpus(
  client: AgentClient,
  facts: HelloFacts,
  signal: AbortSignal,
): Promise<Verdict & { gpus: HostGpu[] }> {
  const none = (state: Verdict['state'], message: string) => ({ state, message, gpus: [] });
  if (facts.bash === '') return none('skipped', 'Not checked: that needs bash.');
  try {
    const { fields, body } = await client.request('exec', [facts.home || '/', String(gpuLimitMs)], {
      body: Buffer.from(gpuScript),
      timeoutMs: gpuLimitMs + 5000,
      signal,
    });
    const [exit = ''] = fields;
    const output = Buffer.from(body).toString('utf8');
    if (exit === '') return none('warning', `nvidia-smi did not answer within ${gpuLimitMs / 1000} s.`);
    if (Number(exit) === noGpuTool) return none('skipped', 'There is no nvidia-smi.');
    const gpus = parseGpus(output);
    if (exit !== '0') {
      const said = output.trim().split('\n')[0] ?? '';
      return none('warning', `nvidia-smi failed (exit code ${exit}): ${said.slice(0, 300)}`);
    }
    if (gpus.length === 0) return none('warning', 'nvidia-smi names no GPU.');
    return { state: 'ok', message: gpus.map(gpuText).join(', '), gpus };
  } catch (error) {
    if (error instanceof AgentRefusal) {
      return none('warning', `nvidia-smi could not be asked: ${error.message}.`);
    }
    throw error;
  }
}

function gpuText({ name, memoryMb }: HostGpu): string {
  return memoryMb === null ? name : `${name} (${bytesText(memoryMb * 1024 ** 2)})`;
}

function stageOf(error: unknown): StageView['stage'] | undefined {
  return error instanceof ConnectFailure ? error.stage : undefined;
}

function messageOf(error: unknown, alias: string): string {
  if (error instanceof ChannelLost) {
    return `The link to ${alias} ended during the test: ${error.reason} Test again.`;
  }
  return error instanceof Error ? error.message : String(error);
}
