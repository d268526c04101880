import type { LabelValue } from '../log/annotations';
import type {
  EffectiveLabel,
  HumanLabel,
  JudgeVerdict,
  LabelSource,
  MachinePrecedence,
  RuleVerdict,
  Why,
  WhyCode,
} from './labels';

export interface LabelOpinions {
  humans: readonly HumanLabel[];
  rules: readonly RuleVerdict[];
  judges: readonly JudgeVerdict[];
  precedence: MachinePrecedence;
}

interface Opinion {
  value: LabelValue | null;
  source: LabelSource | null;
  reason: string | null;
  disagreement: boolean;
  why: Why;
}

/**
 * What holds for a step: adjudication > human > machine.
 *
 * Machine opinions are a union of masks (APOLLO §3.4, symbolic and LLM-based masking): a step is masked when any
 * mask rule or any judge masks it. A keep rule beats soft mask rules and the judges, never a hard mask; a judge's
 * keep lifts nothing (with `judge_over_rule` it lifts soft masks, and its mask beats keep rules). Only a person
 * lifts a hard mask, and only with a reason. People of equal rank who differ leave the step undecided.
 */
export function combineLabels(opinions: LabelOpinions): {
  effective: EffectiveLabel;
  why: Why;
  /** What would hold if no person had spoken. */
  machine: LabelValue | null;
} {
  const machine = machineOpinion(opinions);
  const { value, source, reason, disagreement, why } = humanOpinion(opinions, machine) ?? machine;
  return { effective: { value, source, reason, disagreement }, why, machine: machine.value };
}

/** Whether a person's train would need a reason on this step: some hard rule masks it. */
export function liftNeedsReason(rules: readonly RuleVerdict[]): boolean {
  return rules.some((rule) => rule.hard && rule.effect === 'mask');
}

function humanOpinion(opinions: LabelOpinions, machine: Opinion): Opinion | null {
  const adjudications = opinions.humans.filter((human) => human.adjudication);
  const adjudicated = adjudications.length > 0;
  const speaking = adjudicated ? adjudications : opinions.humans;
  const first = speaking[0];
  if (!first) return null;
  const by = names(speaking);
  if (speaking.some((human) => human.value !== first.value)) {
    const code = adjudicated ? 'adjudications_differ' : 'humans_differ';
    return { value: null, source: null, reason: null, disagreement: true, why: because(code, { by }) };
  }
  const given = speaking.find((human) => human.reason?.trim())?.reason?.trim() ?? '';
  if (first.value === 'train' && given === '' && liftNeedsReason(opinions.rules)) {
    const params = { by, rules: machine.why.params.rules ?? '' };
    return { ...machine, disagreement: true, why: because('hard_mask_needs_reason', params) };
  }
  return {
    value: first.value,
    source: adjudicated ? 'adjudication' : 'human',
    reason: [...new Set(speaking.map((human) => initials(human.author.name)))].join(' '),
    // A person's word settles what machines say, so nothing is left to disagree about.
    disagreement: false,
    why: because(adjudicated ? 'adjudicated' : 'human', { by, value: first.value, reason: given }),
  };
}

/** The reasons of the people whose word is the label, each once, in their order; null when nobody gave one. */
export function givenReason(
  { source }: Pick<EffectiveLabel, 'source'>,
  humans: readonly HumanLabel[],
): string | null {
  const speaking = humans.filter(({ adjudication }) =>
    source === 'adjudication' ? adjudication : source === 'human',
  );
  const reasons = speaking.flatMap(({ reason }) => reason?.trim() || []);
  return reasons.length === 0 ? null : [...new Set(reasons)].join('; ');
}

/** How the machines' opinions on one step are at odds with each other. */
export interface MachineDifferences {
  /** A rule masks what another one keeps. */
  rules: boolean;
  /** A judge masks what another one keeps. */
  judges: boolean;
  /** What the rules say together is not what the judges say together. */
  ruleAndJudge: boolean;
}

export function machineDifferences({
  rules,
  judges,
}: Pick<LabelOpinions, 'rules' | 'judges'>): MachineDifferences {
  const masks = rules.filter(({ effect }) => effect === 'mask');
  const keeps = rules.some(({ effect }) => effect === 'keep');
  const masked = masks.some(({ hard }) => hard) || (masks.length > 0 && !keeps);
  const judgeMasks = judges.some(({ value }) => value === 'mask');
  return {
    rules: masks.length > 0 && keeps,
    judges: judgeMasks && judges.some(({ value }) => value === 'keep'),
    ruleAndJudge: rules.length > 0 && judges.length > 0 && masked !== judgeMasks,
  };
}

function machineOpinion(opinions: LabelOpinions): Opinion {
  if (opinions.rules.length === 0 && opinions.judges.length === 0) return silent;
  const differ = machineDifferences(opinions);
  return { ...machineWinner(opinions), disagreement: differ.rules || differ.judges || differ.ruleAndJudge };
}

const silent: Opinion = {
  value: null,
  source: null,
  reason: null,
  disagreement: false,
  why: because('no_label', {}),
};

function machineWinner({ rules, judges, precedence }: LabelOpinions): Omit<Opinion, 'disagreement'> {
  const hard = rules.filter((rule) => rule.effect === 'mask' && rule.hard);
  const soft = rules.filter((rule) => rule.effect === 'mask' && !rule.hard);
  const keep = rules.filter((rule) => rule.effect === 'keep');
  const masking = judges.filter(({ value }) => value === 'mask');
  const judgeMasks = masking.length > 0;

  if (hard.length > 0) {
    const code = keep.length > 0 ? 'hard_mask_over_keep' : 'hard_mask';
    return ruled('mask', hard, because(code, { rules: ids(hard), kept: ids(keep) }));
  }
  if (judges.length > 0 && precedence === 'judge_over_rule') {
    const against = judgeMasks ? keep : soft;
    const code = judgeMasks ? 'judge_mask' : against.length > 0 ? 'judge_keep_over_rule' : 'judge_keep';
    return judged(judges, because(code, { ...judgeParams(judges), rules: ids(against) }));
  }
  if (keep.length > 0) {
    const code = soft.length > 0 || judgeMasks ? 'keep_rule_over_mask' : 'keep_rule';
    return ruled('train', keep, because(code, { rules: ids(keep), masked: ids(soft) }));
  }
  if (soft.length > 0) {
    const code = judgeMasks ? 'rules_and_judge_mask' : 'soft_mask';
    return ruled('mask', soft, because(code, { rules: ids(soft), judge: criteria(masking) }));
  }
  if (judges.length > 0) {
    return judged(judges, because(judgeMasks ? 'judge_mask' : 'judge_keep', judgeParams(judges)));
  }
  return silent;
}

function ruled(value: LabelValue, rules: RuleVerdict[], why: Why): Omit<Opinion, 'disagreement'> {
  return { value, source: 'rule', reason: rules.map((rule) => rule.rule).sort()[0] ?? null, why };
}

function judged(judges: readonly JudgeVerdict[], why: Why): Omit<Opinion, 'disagreement'> {
  const masking = judges.filter(({ value }) => value === 'mask');
  const [speaking, value] = masking.length > 0 ? [masking, 'mask' as const] : [judges, 'train' as const];
  return { value, source: 'judge', reason: speaking.map(({ reason }) => reason).sort()[0] ?? null, why };
}

/** `judge` the criteria of those who win, `by` their names, `against` the names of judges who say otherwise. */
function judgeParams(judges: readonly JudgeVerdict[]): Record<string, string> {
  const masking = judges.filter(({ value }) => value === 'mask');
  const winning = masking.length > 0 ? masking : judges;
  const losing = judges.filter((judge) => !winning.includes(judge));
  return { judge: criteria(winning), by: judgeNames(winning), against: judgeNames(losing) };
}

function criteria(judges: readonly JudgeVerdict[]): string {
  return [...new Set(judges.map(({ reason }) => reason))].sort().join(', ');
}

function judgeNames(judges: readonly JudgeVerdict[]): string {
  return [...new Set(judges.map(({ judge }) => judge))].sort().join(', ');
}

function because(code: WhyCode, params: Record<string, string>): Why {
  return { code, params };
}

function ids(rules: readonly RuleVerdict[]): string {
  return [...new Set(rules.map((rule) => rule.rule))].sort().join(', ');
}

function names(humans: readonly HumanLabel[]): string {
  return [...new Set(humans.map((human) => human.author.name))].sort().join(', ');
}

/** Up to two letters for the narrow columns: "Ada Lovelace" → "AL", "wu" → "WU", "吴恩达" → "吴恩". */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '?')].slice(0, 2);
  return letters.join('').toUpperCase();
}
