import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type HelperKind, readAgentSources } from '../computer/agent/bootstrap';
import { AgentProgram, type AgentProgramOptions, type RawAnswer } from './agent-program-client';
import { eventually } from './deadline';

const resourcesDir = resolve(import.meta.dirname, '../../resources');

export interface TestSession {
  directory: string;
  id: string;
  nonce: string;
}

/** A home directory of its own that stands for a host, with helpers and sessions that `dispose` ends. */
export class TestHost {
  readonly home: string;
  readonly helper: HelperKind;
  private readonly programs: AgentProgram[] = [];

  private constructor(home: string, helper: HelperKind) {
    this.home = home;
    this.helper = helper;
  }

  static async make(helper: HelperKind): Promise<TestHost> {
    return new TestHost(await mkdtemp(join(tmpdir(), 'waymark-agent-')), helper);
  }

  get base(): string {
    return join(this.home, '.local/state/waymark/sessions');
  }

  async agent(more: Partial<AgentProgramOptions> = {}): Promise<AgentProgram> {
    const program = await AgentProgram.start({
      sources: await readAgentSources(resourcesDir),
      helper: this.helper,
      ...more,
      env: { PATH: process.env.PATH, HOME: this.home, SSH_AUTH_SOCK: '/nowhere', ...more.env },
    });
    this.programs.push(program);
    return program;
  }

  /** Arguments of `start` after the sources were put there. */
  async startOrder(
    agent: AgentProgram,
    name: string,
    more: Partial<StartArguments> = {},
  ): Promise<(string | number)[]> {
    const [bash, perl, python3] = await Promise.all(
      ['session.bash', 'supervisor.pl', 'supervisor.py'].map((file) => putResource(agent, file)),
    );
    const kinds = { perl: `perl:${perl}`, python3: `python3:${python3}` };
    const order = {
      directory: join(this.base, name),
      id: randomBytes(8).toString('hex'),
      nonce: randomBytes(12).toString('hex'),
      file: `.resource-${bash}`,
      rows: 24,
      cols: 80,
      cwd: this.home,
      profile: 0,
      limit: 0,
      kinds: kinds[this.helper],
      given: [],
      ...more,
    };
    const { given, ...fixed } = order;
    return [...Object.values(fixed), ...given];
  }

  /** Starts a session and waits for its first prompt. */
  async session(agent: AgentProgram, name: string, more: Partial<StartArguments> = {}): Promise<TestSession> {
    const order = await this.startOrder(agent, name, more);
    await agent.must('start', order);
    const session = { directory: String(order[0]), id: String(order[1]), nonce: String(order[2]) };
    await eventually('the first prompt', async () =>
      / A /.test((await lookAt(agent, session.directory)).marks),
    );
    return session;
  }

  async dispose(): Promise<void> {
    for (const program of this.programs) await program.end();
    // Also a warning is a fault; what ended by fault has said so and was tested for it.
    const said = this.programs
      .map((program) => program.stderr)
      .filter((text) => !/^(waymark: .*\n)?(Killed\n)?$/.test(text));
    for (const name of await readdir(this.base).catch(() => [])) {
      const meta = await readFile(join(this.base, name, 'meta'), 'utf8').catch(() => '');
      const id = /^id=(.*)$/m.exec(meta)?.[1];
      const pids = ['shell', 'supervisor'].map((key) =>
        Number(new RegExp(`^${key}=(\\d+)$`, 'm').exec(meta)?.[1]),
      );
      if (id === undefined) continue;
      for (const pid of [...(await marked(id)), ...pids]) killed(pid);
    }
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
    if (said.length > 0) throw new Error(`The helper complained: ${said.join('\n')}`);
  }
}

export interface StartArguments {
  directory: string;
  id: string;
  cwd: string;
  profile: number;
  limit: number;
  kinds: string;
  given: string[];
}

/** Processes that carry a session's mark. */
async function marked(id: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(`WAYMARK_SESSION=${id}`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

function killed(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const resources = new Map<string, Promise<Buffer>>();

/** The sha256 it is known by. */
async function putResource(agent: AgentProgram, file: string): Promise<string> {
  const source = resources.get(file) ?? readFile(join(resourcesDir, 'sessions', file));
  resources.set(file, source);
  const bytes = await source;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const known = await agent.must('resource', [sha256]);
  if (known.fields[0] === 'need') await agent.must('resource', [sha256], bytes);
  return sha256;
}

export interface Look {
  id: string;
  life: string;
  exit: string;
  size: number;
  dropped: number;
  inputSeq: number;
  pending: number;
  commandSeq: number;
  lineMode: string;
  echo: string;
  marks: string;
  processes: string[][];
  moreMarks: string;
  rebooted: string;
}

export async function lookAt(agent: AgentProgram, directory: string, from = 0, processes = 0): Promise<Look> {
  const { fields, body } = await agent.must('look', [directory, from, processes]);
  const at = (index: number) => fields[index] ?? '';
  const lines = body.toString('latin1').split('\n').slice(0, -1);
  const marks = lines.slice(0, lines.length - Number(at(14)));
  return {
    id: at(0),
    life: at(1),
    exit: at(2),
    rebooted: at(3),
    size: Number(at(4)),
    dropped: Number(at(6)),
    inputSeq: Number(at(8)),
    pending: Number(at(9)),
    commandSeq: Number(at(10)),
    lineMode: at(12),
    echo: at(13),
    marks: marks.map((line) => `${line}\n`).join(''),
    processes: lines.slice(marks.length).map((line) => line.split('\t')),
    moreMarks: at(15),
  };
}

/** Types a line and waits for nothing. */
export function type(agent: AgentProgram, session: TestSession, text: string): Promise<RawAnswer> {
  return agent.must('input', [session.directory, 0, ''], Buffer.from(text));
}

/** Runs a command as the application does; `token` makes it known again. */
export function command(
  agent: AgentProgram,
  session: TestSession,
  number: number,
  text: string,
  token = randomBytes(8).toString('hex'),
): Promise<RawAnswer> {
  const echo = Buffer.from(text);
  const line = `__wm_load ${number};eval "$__wm_text";__wm_end $?\n`;
  const order = [session.directory, number, token, line, echo.length, ''];
  return agent.ask('command', order, Buffer.concat([echo, echo]));
}

/** Waits until the command's end is among the marks. */
export function commandEnded(agent: AgentProgram, session: TestSession, count: number): Promise<string> {
  return eventually(`command ${count} has ended`, async () => {
    const { marks } = await lookAt(agent, session.directory);
    return (marks.match(/ D /g) ?? []).length >= count && marks;
  });
}
