import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import { noRuleSettings } from '@shared/contract/rules/rule-settings';
import { ruleSetFor, ruleSetVersion } from '../../label/rule-set';
import { allAnnotations, type DatasetReader } from '../event-pages';
import type { PlanStore } from '../plan-store';
import type { PlanOptions, RunPlan } from '../run-plan';
import type { ExportJournal } from './export-journal';

/** Rules are code and settings: code is not stored, and settings say whether the same code gives the same verdicts. */
interface KeptRun {
  seq: number;
  rules: string;
  settings: RuleSettings | null;
  plan: Omit<RunPlan, 'ruleSet'>;
}

type Heads = Awaited<ReturnType<DatasetReader['runs']>>;

/** Keeps plans in the journal of an export. */
export class KeptPlans implements PlanStore {
  /** Events that need not be read again. */
  skipped = 0;

  private constructor(
    private readonly journal: ExportJournal,
    private readonly reader: DatasetReader,
    private readonly heads: Heads,
    /** What was planned counts whatever has been labelled since. */
    private readonly pinned: boolean,
  ) {}

  /** @param pinned what the export began with counts; else what changed since is planned again */
  static async open(journal: ExportJournal, reader: DatasetReader, pinned: boolean): Promise<KeptPlans> {
    const kept = pinned ? await journal.read<Heads>('heads') : null;
    const heads =
      kept ?? (await reader.runs()).map(({ id, seq, state, segments }) => ({ id, seq, state, segments }));
    if (kept === null) await journal.write('heads', heads);
    return new KeptPlans(journal, reader, heads, kept !== null);
  }

  /** The reader that a plan is made with: runs end where they ended when the export began. */
  planned(): DatasetReader {
    const heads = this.heads;
    const reader = this.reader;
    const { someEvents, ruleMarks } = reader;
    const headOf = async (run: string) => heads.find(({ id }) => id === run) ?? (await reader.run(run));
    return {
      runs: async () => heads,
      run: async (run) => {
        const head = await headOf(run);
        // One that was removed is refused here.
        await reader.run(run);
        return head;
      },
      events: (...args) => reader.events(...args),
      annotationPage: (...args) => reader.annotationPage(...args),
      ruleSettings: (...args) => reader.ruleSettings(...args),
      ...(someEvents && { someEvents: (...args) => someEvents.apply(reader, args) }),
      ...(ruleMarks && { ruleMarks: (...args) => ruleMarks.apply(reader, args) }),
    };
  }

  async get(run: string, seq: number, options: PlanOptions): Promise<RunPlan | null> {
    const kept = await this.journal.read<KeptRun>(`run-${run}`);
    if (kept === null || kept.seq !== seq) return null;
    const { created, entries } = kept.plan;
    const settings = this.pinned ? kept.settings : await this.settingsOf(created.task.id);
    const set = ruleSetFor(created.spec, settings ?? noRuleSettings, options.preset);
    const ruleSet = options.precedence === undefined ? set : { ...set, precedence: options.precedence };
    if (ruleSetVersion(ruleSet) !== kept.rules) return null;
    if (!this.pinned) {
      const now = (await allAnnotations(this.reader, run)).map(({ ulid }) => ulid).sort();
      if (now.length !== entries.length || now.some((ulid, index) => ulid !== entries[index])) return null;
    }
    this.skipped += seq;
    return { ...kept.plan, ruleSet };
  }

  async keep({ ruleSet, ...plan }: RunPlan): Promise<void> {
    const settings = await this.settingsOf(plan.created.task.id);
    const kept: KeptRun = { seq: plan.seq, rules: ruleSetVersion(ruleSet), settings, plan };
    await this.journal.write(`run-${plan.created.run}`, kept);
  }

  private async settingsOf(task: string): Promise<RuleSettings | null> {
    return (await this.reader.ruleSettings(task))?.settings ?? null;
  }
}
