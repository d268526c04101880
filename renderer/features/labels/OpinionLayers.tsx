import type { LabelStack } from '@shared/contract/views';
import { type HumanLabel, type JudgeVerdict, LOW_CONFIDENCE, type RuleVerdict } from '@shared/labels/labels';
import type { ReactNode } from 'react';
import { Button } from '../../components/Button';
import { LabelGlyph } from '../../components/LabelGlyph';
import { runCommand } from '../../state/keys/commands';
import { useSettings } from '../../state/settings';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { answerTo, answerVote } from './judge-answers';
import { afterUndo } from './label-undo';
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
          answers={mine.length === 0}
          isOnly={stack.judges.length === 1}
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

interface JudgeLayerProps {
  judge: JudgeVerdict;
  step: number;
  wins: boolean;
  /** The person has not decided. */
  answers: boolean;
  /** No other judge has voted. */
  isOnly: boolean;
}

function JudgeLayer({ judge, step, wins, answers, isOnly }: JudgeLayerProps) {
  const text = useText();
  const words = text.labels;
  const value = judge.value === 'mask' ? 'mask' : 'train';
  return (
    <Layer pattern={value} who={words.judge} wins={wins}>
      <div className={`layer-head tone-${value}`}>
        <LabelGlyph state={value} />
        <span>{judge.value === 'mask' ? words.mask : words.keep}</span>
        <span className="quiet cut" title={judge.judge}>
          {judge.judge}
        </span>
        {judge.confidence !== null && (
          <span
            className={`tabular ${judge.confidence <= LOW_CONFIDENCE ? 'tone-attention' : 'quiet'}`}
            title={words.judgeSays(judge.judge, judge.confidence)}
          >
            {words.sure(judge.confidence)}
          </span>
        )}
      </div>
      <p>
        {words.reasonName(judge.reason)}
        {judge.why === '' ? '' : `: ${judge.why}`}
      </p>
      <StepLinks label={words.cites} steps={judge.steps.filter((cited) => cited !== step)} />
      <p className="text-11 quiet">{words.rubric(judge.rubric)}</p>
      {answers && <AnswerJudge judge={judge} isOnly={isOnly} />}
    </Layer>
  );
}

/** Two buttons that decide the step as the judge does, or against it; with their keys where it is the only opinion of judges. */
function AnswerJudge({ judge, isOnly }: { judge: JudgeVerdict; isOnly: boolean }) {
  const words = useText().labels;
  const writable = useWritable();
  return (
    <div className="row judge-answers">
      {([true, false] as const).map((agrees) => {
        const command = agrees ? 'label.judge' : 'label.againstJudge';
        const say = agrees ? words.agreeWith : words.disagreeWith;
        return (
          <Button
            key={command}
            small
            disabled={!writable}
            aria-label={say(judge.judge, words[answerTo(judge, agrees)])}
            keys={isOnly ? <CommandKeys command={command} /> : undefined}
            onClick={() => (isOnly ? runCommand(command) : afterUndo(() => answerVote(judge, agrees)))}
          >
            {agrees ? words.judgeAgree : words.judgeDisagree}
          </Button>
        );
      })}
    </div>
  );
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
