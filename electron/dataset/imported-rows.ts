import { ContextFold } from '@shared/context/context';
import { tokensOf } from '@shared/context/context-entry';
import { estimateTokens, toolTokens } from '@shared/context/tokens';
import type { Trajectory } from '@shared/context/trajectory';
import type { Tool } from '@shared/log/event-parts';
import type { RunEvent } from '@shared/log/events';
import { gymSummaryTools, gymTools } from './importers/researchgym/tools';

type Kind = Trajectory['kind'];

/** What the programs whose logs are imported are known to offer, by the log's format. */
const PROGRAMS: Readonly<Record<string, (called: ReadonlySet<string>) => Record<Kind, Tool[]>>> = {
  researchgym: (called) => ({ react: gymTools(called), summary: gymSummaryTools }),
};

/** Tools of the rows of a run, and where they are from (semantics, Export). */
export interface RowTools {
  /** The program that wrote an imported log, by its format; null: the run was driven here. */
  program: string | null;
  /** Of that program; null where nobody knows them. */
  known: Record<Kind, Tool[]> | null;
  /** Segments whose log holds no tools, by kind of row. */
  lacking: Record<Kind, ReadonlySet<number>>;
}

/** Lengths of a segment's rows, tokens, tools left out. */
interface Lengths {
  react: number;
  summary: number;
}

/**
 * What the log of an import does not say of its rows and export needs: tools, and how long they are, head and carried steps
 * included; no request was recorded of which the length could be taken. Feed it a run's events in order.
 */
export class ImportedRows {
  private program: string | null = null;
  private readonly called = new Set<string>();
  private readonly lacking = { react: new Set<number>(), summary: new Set<number>() };
  private readonly lengths = new Map<number, Lengths>();
  private context: ContextFold | null = null;

  /** `reasoning`: rows hold it. */
  constructor(private readonly reasoning: boolean) {}

  apply(event: RunEvent): void {
    switch (event.kind) {
      case 'run.imported':
        this.program = event.body.format;
        this.context = new ContextFold({
          sendReasoning: this.reasoning,
          messagesOnly: true,
          fixedReasoning: true,
        });
        break;
      case 'segment.started':
        this.measure();
        if (event.body.tools.length === 0) this.lacking.react.add(event.body.segment);
        break;
      case 'summary.started':
        if (event.body.tools.length === 0) this.lacking.summary.add(event.body.segment);
        break;
      case 'model.answered':
        for (const { name } of this.program === null ? [] : event.body.calls) this.called.add(name);
        if (event.body.kind === 'summary') this.measureSummary(event.body);
        break;
      default:
        break;
    }
    this.context?.apply(event);
  }

  end(): { tools: RowTools; tokensOf: (kind: Kind, segment: number) => number | null } {
    this.measure();
    const { program, lacking, lengths } = this;
    const known = program === null ? null : (PROGRAMS[program]?.(this.called) ?? null);
    const ofTools = { react: toolTokens(known?.react ?? []), summary: toolTokens(known?.summary ?? []) };
    return {
      tools: { program, known, lacking },
      tokensOf: (kind, segment) => {
        const own = lengths.get(segment)?.[kind];
        return own === undefined ? null : own + ofTools[kind];
      },
    };
  }

  private measure(): void {
    const { context } = this;
    if (context === null || context.segment === 0) return;
    this.note(context.segment, 'react', tokensOf(context.contextMessages()));
  }

  private measureSummary({ text, calls }: Extract<RunEvent, { kind: 'model.answered' }>['body']): void {
    const { context } = this;
    if (context === null) return;
    const answer = [text, ...calls.map((call) => call.arguments)];
    const said = answer.reduce((sum, each) => sum + estimateTokens(each), 0);
    this.note(context.segment, 'summary', tokensOf(context.messages()) + said);
  }

  private note(segment: number, kind: Kind, tokens: number): void {
    this.lengths.set(segment, { ...(this.lengths.get(segment) ?? { react: 0, summary: 0 }), [kind]: tokens });
  }
}

/** The tools of one row: those of the log, else those its program is known to offer, else none. */
export function rowTools({ tools, kind }: Pick<Trajectory, 'tools' | 'kind'>, { known }: RowTools): Tool[] {
  return tools.length > 0 ? tools : (known?.[kind] ?? []);
}

/** Where a row's tools are from. What a run was sent that was driven here stands in its log, also when that was none. */
export function toolsFrom(
  { program, known, lacking }: RowTools,
  kind: Kind,
  segment: number,
): 'log' | 'program' | 'none' {
  if (program === null || !lacking[kind].has(segment)) return 'log';
  return known === null ? 'none' : 'program';
}
