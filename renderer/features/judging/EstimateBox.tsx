import type { CommandOutput } from '@shared/contract/ipc';
import type { JudgeEstimate } from '@shared/contract/judge-views';
import { ColumnHeads } from '../../components/ColumnHeads';
import { FactList } from '../../components/FactList';
import { FailureLine } from '../../components/FailureLine';
import type { Kept } from '../../state/answers';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { costWords } from './judging';

type Figures = Pick<JudgeEstimate, 'steps' | 'requests' | 'inputTokens' | 'outputTokens' | 'cost'>;

/** What would be sent; the figures of the choice before stay, paler, until the new ones are there. */
export function EstimateBox({ found, isAsked }: { found: Kept<'judge.estimate'>; isAsked: boolean }) {
  const text = useText();
  const words = text.judging;
  const { answer, failure, waiting } = found;
  const judges = answer?.value.judges ?? [];
  const [only, ...others] = judges;
  return (
    <section className="judge-estimate" aria-label={words.estimate} aria-busy={waiting}>
      {failure !== null && <FailureLine failure={failure} />}
      {isAsked && failure === null && answer === null && <p className="quiet text-12">{words.counting}</p>}
      {only !== undefined && others.length === 0 && <FactList facts={factsOf(only, text)} />}
      {others.length > 0 && <Table judges={judges} />}
    </section>
  );
}

function Table({ judges }: CommandOutput<'judge.estimate'>) {
  const text = useText();
  const { columns, all } = text.judging;
  const cells = (figures: Figures, noCost?: string) =>
    factsOf(figures, text, noCost).map(([name, value]) => <td key={name}>{value}</td>);
  return (
    <table className="judge-table text-12">
      <ColumnHeads heads={columns} />
      <tbody>
        {judges.map((each) => (
          <tr key={each.judge}>
            <th scope="row">{each.judge}</th>
            {cells(each)}
          </tr>
        ))}
        <tr className="judge-sum">
          <th scope="row">{all}</th>
          {cells(sumOf(judges), text.judging.costPartlyUnknown)}
        </tr>
      </tbody>
    </table>
  );
}

function sumOf(judges: readonly Figures[]): Figures {
  const sum = (of: (each: Figures) => number) => judges.reduce((total, each) => total + of(each), 0);
  return {
    steps: sum(({ steps }) => steps),
    requests: sum(({ requests }) => requests),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cost: judges.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
  };
}

/** `noCost`: what is said where the cost is unknown, other than that the model has no price. */
function factsOf(figures: Figures, text: Text, noCost?: string): (readonly [name: string, value: string])[] {
  const words = text.judging;
  const { count, compact } = text.common.format;
  return [
    [words.toJudge, count(figures.steps)],
    [words.requests, count(figures.requests)],
    [words.tokens, words.tokensOf(compact(figures.inputTokens), compact(figures.outputTokens))],
    [words.cost, figures.cost === null && noCost !== undefined ? noCost : estimatedCost(figures.cost, text)],
  ];
}

/** About how much money, in words. */
export function estimatedCost(cost: number | null, text: Text): string {
  if (cost === null) return text.judging.costUnknown;
  return cost === 0 ? costWords(0, text) : text.judging.costAbout(costWords(cost, text));
}
