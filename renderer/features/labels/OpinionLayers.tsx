import type { LabelStack } from '@shared/contract/views';
import type { HumanLabel, JudgeVerdict, RuleVerdict } from '@shared/labels/labels';
import type { ReactNode } from 'react';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useSettings } from '../../state/settings';
import { useText } from '../../text/language';
import { StepLinks } from './StepLinks';

/** Every opinion on a step, one under the other: one's own, other people's, judges', rules', keep rules'. */
export function OpinionLayers({ stack, step }: { stack: LabelStack; step: number }) {
  const text = useText();
  const me = useSettings((state) => state.settings?.annotator.uuid);
  const mine = stack.humans.filter(({ author }) => author.uuid === me);
  const others = stack.humans.filter(({ author }) => author.uuid !== me);
  const rules = [...stack.rules].sort((a, b) => Number(a.effect === 'keep') - Number(b.effect === 'keep'));
  const { effective } = stack;
  const { source } = effective;
  const humanWins = (human: HumanLabel) =>
    (source === 'adjudication' && human.adjudication && human.value === effective.value) ||
    (source === 'human' && human.value === effective.value);
  return (
    <ul>
      {mine.length === 0 && (
        <Layer pattern="" who={text.labels.you}>
          <div className="layer-head quiet">{text.labels.noDecision}</div>
          {!stack.withheld && <p>{text.labels.yoursWins}</p>}
        </Layer>
      )}
      {[...mine, ...others].map((human) => (
        <HumanLayer key={human.entry} human={human} mine={human.author.uuid === me} wins={humanWins(human)} />
      ))}
      {stack.judges.map((judge) => (
        <JudgeLayer
          key={judge.entry}
          judge={judge}
          step={step}
          wins={speaks(stack, judge.value === 'mask' ? 'mask' : 'train', 'judge')}
        />
      ))}
      {rules.map((rule) => (
        <RuleLayer
          key={`${rule.rule}-${rule.version}`}
          rule={rule}
          step={step}
          wins={speaks(stack, rule.effect === 'keep' ? 'train' : 'mask', 'rule')}
        />
      ))}
    </ul>
  );
}

/** Whether an opinion of this kind is among those that decide: rules and a judge that mask together both win. */
function speaks({ effective, why }: LabelStack, value: 'train' | 'mask', source: 'rule' | 'judge'): boolean {
  if (effective.value !== value) return false;
  if (why.code === 'rules_and_judge_mask') return true;
  // The machines' label stands although a person objected without a reason.
  if (why.code === 'hard_mask_needs_reason') return source === 'rule';
  return effective.source === source;
}

function HumanLayer({ human, mine, wins }: { human: HumanLabel; mine: boolean; wins: boolean }) {
  const text = useText();
  const words = text.labels;
  const who = human.adjudication ? words.adjudication : mine ? words.you : words.person;
  return (
    <Layer pattern={human.value} who={who} wins={wins}>
      <div className={`layer-head tone-${human.value}`}>
        <LabelGlyph state={human.value} />
        <span>{words[human.value]}</span>
        <span className="quiet cut">{human.author.name}</span>
      </div>
      <p>
        {human.reason !== null && human.reason !== '' ? `${words.reasonName(human.reason)}, ` : ''}
        {words.decidedAt(text.common.format.clock(human.at))}
      </p>
    </Layer>
  );
}

function JudgeLayer({ judge, step, wins }: { judge: JudgeVerdict; step: number; wins: boolean }) {
  const text = useText();
  const words = text.labels;
  const value = judge.value === 'mask' ? 'mask' : 'train';
  return (
    <Layer pattern={value} who={words.judge} wins={wins}>
      <div className={`layer-head tone-${value}`}>
        <LabelGlyph state={value} />
        <span>{judge.value === 'mask' ? words.mask : words.keep}</span>
        <span className="mono-11 quiet" title={words.judgeSays(judge.judge, judge.confidence)}>
          {judgeLetter(judge.confidence)}
        </span>
        <span className="quiet cut">{judge.judge}</span>
      </div>
      <p>
        {words.reasonName(judge.reason)}
        {judge.why === '' ? '' : `: ${judge.why}`}
      </p>
      <StepLinks label={words.cites} steps={judge.steps.filter((cited) => cited !== step)} />
      <p className="text-11 quiet">{words.rubric(judge.rubric)}</p>
    </Layer>
  );
}

/** A judge in a narrow place: `J.82`, or `J` when it says nothing of how sure it is. */
function judgeLetter(confidence: number | null): string {
  if (confidence === null) return 'J';
  return confidence >= 0.995 ? 'J1.0' : `J.${String(Math.round(confidence * 100)).padStart(2, '0')}`;
}

function RuleLayer({ rule, step, wins }: { rule: RuleVerdict; step: number; wins: boolean }) {
  const text = useText();
  const words = text.labels;
  const value = rule.effect === 'keep' ? 'train' : 'mask';
  return (
    <Layer pattern={value} who={rule.effect === 'keep' ? words.keepRule : words.rule} wins={wins}>
      <div className={`layer-head tone-${value}`}>
        <LabelGlyph state={value} />
        <span>{words[value]}</span>
        {rule.hard && <span className="chip">{words.hard}</span>}
      </div>
      <p>
        <span className="mono-11">{rule.rule}</span> {words.version(rule.version)}
        {': '}
        {rule.why}
      </p>
      <StepLinks label={words.tied} steps={rule.steps.filter((tied) => tied !== step)} />
    </Layer>
  );
}

interface LayerProps {
  /** Whose pattern its edge shows; '' for none. */
  pattern: 'train' | 'mask' | '';
  who: string;
  wins?: boolean;
  children: ReactNode;
}

/** One opinion of the stack: its pattern, who speaks, what they say. The winner says so in words. */
function Layer({ pattern, who, wins = false, children }: LayerProps) {
  const text = useText();
  return (
    <li className={`layer ${wins ? 'layer-wins' : ''}`}>
      <i className={`gutter ${pattern === '' ? '' : `gutter-${pattern}`}`} />
      <div className="layer-who">
        {who}
        {wins && <span className="chip">{text.labels.wins}</span>}
      </div>
      <div className="layer-body">{children}</div>
    </li>
  );
}
