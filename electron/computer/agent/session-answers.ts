import type { SessionLook, StartedProcess } from '../sessions/backend';
import type { Blocked, ForegroundProcess } from '../sessions/classify';
import type { AgentAnswer } from './agent-client';
import { ChannelLost } from './agent-failures';
import { moment, processNumber, wholeNumber } from './answer-numbers';
import { unescapeField } from './frames';

/**
 * What the helper's answers about sessions mean; the order of the fields is `docs/host-agent.md`'s. All throw ChannelLost
 * when an answer makes no sense.
 */

/** More processes of one session than this are not told of. */
const mostProcesses = 4096;
const mostDirectories = 10_000;

export function parseLook({ fields, body }: AgentAnswer): SessionLook {
  const [id = '', life, exit = '', rebooted, size, mtime, dropped, full, ...more] = fields;
  const [inputSeq, pending, commandSeq, commandAge, lineMode = '', echo, processLines, moreMarks] = more;
  const at = startOfLastLines(body, wholeNumber(processLines, 'the number of processes'));
  return {
    id,
    life: life === 'alive' || life === 'ended' ? life : 'lost',
    exitCode: life === 'ended' ? (/^\d{1,3}$/.test(exit) ? Number(exit) : null) : undefined,
    rebooted: rebooted === '1',
    size: wholeNumber(size, 'the length of a log'),
    mtimeMs: moment(mtime, 'the age of a log'),
    dropped: wholeNumber(dropped, 'the beginning of a log'),
    diskFull: full === '1',
    // Not UTF-8: whoever counts the characters counts the bytes.
    marks: bufferOf(body.subarray(0, at)).toString('latin1'),
    moreMarks: moreMarks === '1',
    inputSeq: wholeNumber(inputSeq, 'the number of an input'),
    pendingInputs: wholeNumber(pending, 'the number of inputs'),
    commandSeq: wholeNumber(commandSeq, 'the number of a command'),
    commandAgeMs: wholeNumber(commandAge, 'the age of a command'),
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

/** Names of directories: fields, and lines of the body for those that did not fit there. */
export function parseDirectories({ fields, body }: AgentAnswer): string[] {
  const more = bufferOf(body).toString('utf8').split('\n').filter(Boolean).map(unescapeField);
  const names = [...fields.filter(Boolean), ...more];
  if (names.length > mostDirectories)
    throw new ChannelLost(`the host tells of ${names.length} sessions, more than there can be.`);
  return names;
}

function startOfLastLines(body: Uint8Array, count: number): number {
  let at = body.length;
  for (let line = 0; line < count && at > 0; line += 1) {
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
    .filter((line) => line !== '')
    .slice(0, mostProcesses);
  return lines.map((line) => {
    const [pid, parent, group, , , stat = '', , blocked, isShell, command = ''] = line
      .split('\t')
      .map(unescapeField);
    return {
      pid: processNumber(pid),
      parent: processNumber(parent),
      group: processNumber(group),
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
