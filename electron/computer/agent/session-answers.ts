import type { SessionLook, StartedProcess } from '../sessions/backend';
import type { Blocked, ForegroundProcess } from '../sessions/classify';
import type { AgentAnswer } from './agent-client';
import { unescapeField } from './frames';

/** What the helper's answers about sessions mean; the order of the fields is `docs/host-agent.md`'s. */

export function parseLook({ fields, body }: AgentAnswer): SessionLook {
  const [id = '', life, exit = '', rebooted, size, mtime, dropped, full, ...more] = fields;
  const [inputSeq, pending, commandSeq, commandAge, lineMode = '', echo, processLines, moreMarks] = more;
  const at = startOfLastLines(body, Number(processLines) || 0);
  return {
    id,
    life: life === 'alive' || life === 'ended' ? life : 'lost',
    exitCode: life === 'ended' ? (/^\d{1,3}$/.test(exit) ? Number(exit) : null) : undefined,
    rebooted: rebooted === '1',
    size: Number(size),
    mtimeMs: Number(mtime),
    dropped: Number(dropped),
    diskFull: full === '1',
    // Not UTF-8: whoever counts the characters counts the bytes.
    marks: bufferOf(body.subarray(0, at)).toString('latin1'),
    moreMarks: moreMarks === '1',
    inputSeq: Number(inputSeq),
    pendingInputs: Number(pending),
    commandSeq: Number(commandSeq),
    commandAgeMs: Number(commandAge),
    foreground: processes(body.subarray(at)),
    terminal: lineMode === '' ? undefined : { lineMode: lineMode === '1', echo: echo === '1' },
  };
}

export function parseProcesses({ body }: AgentAnswer): StartedProcess[] {
  return processes(body).map(({ pid, parent, group, stat, command }) => ({
    pid,
    parent,
    group,
    stat,
    command,
  }));
}

function startOfLastLines(body: Uint8Array, count: number): number {
  let at = body.length;
  for (let line = 0; line < count; line += 1) {
    // The newline that ends the line before.
    at = at < 2 ? 0 : body.lastIndexOf(0x0a, at - 2) + 1;
  }
  return at;
}

const blockedIn: readonly Blocked[] = ['terminal', 'poll', 'elsewhere', 'running', 'unknown'];

function processes(body: Uint8Array): (ForegroundProcess & { parent: number; group: number })[] {
  const lines = bufferOf(body)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [pid, parent, group, , , stat = '', , blocked, isShell, command = ''] = line
      .split('\t')
      .map(unescapeField);
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      stat,
      command,
      isShell: isShell === '1',
      blocked: blockedIn.find((each) => each === blocked) ?? 'unknown',
    };
  });
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
