import type { JudgeFigures } from '@shared/labels/judge-figures';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import { useId, useState } from 'react';
import { Button } from '../../../components/Button';
import { Empty } from '../../../components/Empty';
import { FailureLine } from '../../../components/FailureLine';
import { Select } from '../../../components/Field';
import { Tabs } from '../../../components/Tabs';
import { useKept } from '../../../state/answers';
import { useTimeline } from '../../../state/run/timeline';
import { openDialog } from '../../../state/view';
import { useText } from '../../../text/language';
import { usePlots } from '../plots-state';
import { CalibrationPlot } from './CalibrationPlot';
import { figureWords, type IntervalGroup, IntervalPlot } from './IntervalPlot';
import { agreementGroups, outcomeGroups, raterGroups, rubricGroups } from './quality-groups';

const views = ['agreement', 'calibration', 'raters', 'outcomes', 'rubrics'] as const;
type View = (typeof views)[number];

/** How good judges are: against people or whoever else knows what is right, against each other, and against how runs ended. */
export function JudgesPanel() {
  const text = useText();
  const words = text.judgeQuality;
  const run = useTimeline((state) => state.run);
  const wanted = usePlots((state) => state.allRuns);
  const [truth, setTruth] = useState<string | null>(null);
  const [view, setView] = useState<View>('agreement');
  const allRuns = wanted || run === null;
  const asked = useKept('judge.quality', { runs: allRuns || run === null ? [] : [run], truth });
  const found = asked.answer?.value ?? null;
  return (
    <div className="judges-panel" aria-busy={asked.waiting}>
      <Controls found={found} truth={truth} onTruth={setTruth} allRuns={allRuns} hasRun={run !== null} />
      {asked.failure !== null && <FailureLine failure={asked.failure} />}
      {found === null && asked.failure === null && <p className="quiet text-12">{words.counting}</p>}
      {found !== null && !hasVotes(found) && (
        <Empty title={words.nothing} text={words.nothingText}>
          <Button onClick={() => openDialog('judge')}>{words.ask}</Button>
        </Empty>
      )}
      {found !== null && hasVotes(found) && (
        <>
          <Tabs<View>
            look="segmented"
            label={words.title}
            items={views.map((id) => ({ id, label: words.views[id] }))}
            chosen={view}
            onChoose={setView}
            idBase="judges"
          />
          <div id="judges-panel" role="tabpanel" aria-labelledby={`judges-${view}`}>
            <Figures view={view} found={found} />
          </div>
        </>
      )}
      {found !== null && found.withheld > 0 && (
        <p className="quiet text-12">{words.withheld(found.withheld)}</p>
      )}
    </div>
  );
}

const hasVotes = ({ judges, rewards }: JudgeQuality) => judges.length + rewards.raters.length > 0;

/** The judges that may be chosen: those with verdicts, then those that only rated. */
function namesOf({ judges, rewards }: JudgeQuality): string[] {
  return [...new Set([...judges, ...rewards.raters].map(({ judge }) => judge))];
}

function useChosenJudge(found: JudgeQuality | null): string {
  const wanted = usePlots((state) => state.judge);
  const names = found === null ? [] : namesOf(found);
  return wanted !== null && names.includes(wanted) ? wanted : (names[0] ?? '');
}

interface ControlsProps {
  found: JudgeQuality | null;
  truth: string | null;
  onTruth: (truth: string | null) => void;
  allRuns: boolean;
  hasRun: boolean;
}

/** Names of people and judges are anybody's: the choice that is no name stands apart from them. */
const PEOPLE = 'people';

function Controls({ found, truth, onTruth, allRuns, hasRun }: ControlsProps) {
  const text = useText();
  const words = text.judgeQuality;
  const judge = useChosenJudge(found);
  const id = useId();
  const names = found === null ? [] : namesOf(found);
  const known = [
    ...(found?.labellers ?? []).map((name) => ({ name, label: words.person(name) })),
    ...names
      .filter((name) => found?.labellers.includes(name) === false)
      .map((name) => ({ name, label: words.otherJudge(name) })),
  ];
  return (
    <div className="judges-controls">
      <span className="judges-choice">
        <label htmlFor={`${id}-scope`}>{words.scope}</label>
        <Select<'this' | 'all'>
          id={`${id}-scope`}
          small
          value={allRuns ? 'all' : 'this'}
          options={[
            ...(hasRun ? [{ value: 'this' as const, label: words.thisRun }] : []),
            { value: 'all', label: words.allRuns },
          ]}
          onChoose={(value) => {
            // Whoever was chosen may have said nothing there.
            onTruth(null);
            usePlots.setState({ allRuns: value === 'all' });
          }}
        />
      </span>
      <span className="judges-choice">
        <label htmlFor={`${id}-judge`}>{words.judge}</label>
        <Select
          id={`${id}-judge`}
          small
          disabled={names.length === 0}
          value={judge}
          options={names.map((name) => ({ value: name, label: name }))}
          onChoose={(name) => usePlots.setState({ judge: name })}
        />
      </span>
      <span className="judges-choice">
        <label htmlFor={`${id}-truth`}>{words.truth}</label>
        <Select
          id={`${id}-truth`}
          small
          value={truth === null ? PEOPLE : `= ${truth}`}
          options={[
            { value: PEOPLE, label: words.people },
            ...known.map(({ name, label }) => ({ value: `= ${name}`, label })),
          ]}
          onChoose={(value) => onTruth(value === PEOPLE ? null : value.slice(2))}
        />
      </span>
    </div>
  );
}

function Figures({ view, found }: { view: View; found: JudgeQuality }) {
  const text = useText();
  const words = text.judgeQuality;
  const { count } = text.common.format;
  const name = useChosenJudge(found);
  const judge = found.judges.find((each) => each.judge === name);
  if (view === 'agreement' || view === 'calibration') {
    if (judge === undefined) return <p className="quiet judges-none">{words.noneVoted(name)}</p>;
    const isKnown = view === 'agreement' ? judge.accuracy !== null : judge.bySureness.length > 0;
    if (!isKnown) return <p className="quiet judges-none">{words.none[view]}</p>;
    return view === 'calibration' ? (
      <CalibrationPlot figures={judge} />
    ) : (
      <IntervalPlot
        title={words.agreementOf(name)}
        summary={agreementSummary(judge, text)}
        groups={agreementGroups(judge, found, text)}
      />
    );
  }
  const groups = { raters: raterGroups, outcomes: outcomeGroups, rubrics: rubricGroups }[view](found, text);
  if (groups.length === 0) return <p className="quiet judges-none">{words.none[view]}</p>;
  const rows = groups.reduce((sum, group) => sum + group.rows.length, 0);
  const told: Record<typeof view, { title: string; summary: string }> = {
    raters: { title: words.ratersTitle, summary: words.ratersSummary(count(rows)) },
    outcomes: { title: words.outcomesTitle, summary: words.outcomesSummary(count(tasksIn(found))) },
    rubrics: { title: words.rubricsTitle, summary: words.rubricsSummary(count(found.drift.length)) },
  };
  const shown: readonly IntervalGroup[] = groups;
  return (
    <IntervalPlot
      title={told[view].title}
      summary={`${told[view].summary} ${words.interval}`}
      groups={shown}
    />
  );
}

function tasksIn({ tasks, rewards }: JudgeQuality): number {
  return new Set([...tasks, ...rewards.raters.flatMap((each) => each.tasks)].map(({ task }) => task)).size;
}

function agreementSummary(
  { judge, votes, unparsable, contradicting, accuracy, kappa }: JudgeFigures,
  text: ReturnType<typeof useText>,
): string {
  const words = text.judgeQuality;
  const said = (figure: typeof accuracy) => (figure === null ? words.unknown : figureWords(figure, text));
  const summary = words.agreementSummary(judge, text.common.format.count(votes), said(accuracy), said(kappa));
  return [summary, words.odd(unparsable, contradicting), words.interval]
    .filter((each) => each !== '')
    .join(' ');
}
