import type { HostChannel, HostTransport, PromptPort, StageReport } from '../../computer/ssh/transport';
import { factDeadlineMs } from '../deadline';

/** Opens a channel; fails after the deadline of tests. `stages` fills also when opening fails. */
export async function openWith(
  transport: HostTransport,
  command: string,
  prompts: PromptPort,
  stages: StageReport[] = [],
  signal: AbortSignal = AbortSignal.timeout(factDeadlineMs),
): Promise<HostChannel> {
  return transport.open(command, { signal, prompts, onStage: (stage) => stages.push(stage) });
}

/** Everything a channel's command writes, to its end. */
export async function readAll(channel: HostChannel): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of channel.stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Opens, reads to the end, and closes. */
export async function output(
  transport: HostTransport,
  command: string,
  prompts: PromptPort,
): Promise<string> {
  const channel = await openWith(transport, command, prompts);
  try {
    return (await readAll(channel)).toString();
  } finally {
    channel.close();
    await channel.closed;
  }
}
