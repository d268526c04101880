import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { useText } from '../../text/language';
import { closeExchange, type Exchange } from './label-exchange';
import './labels.css';

/** What came over from other annotators, or went out to them, in numbers. */
export function ExchangeDialog({ exchange }: { exchange: Exchange }) {
  const text = useText();
  const words = text.exchange;
  return (
    <Dialog
      title={exchange.kind === 'merged' ? words.merged : words.exported}
      closeLabel={text.common.close}
      width="small"
      onClose={closeExchange}
      foot={
        <>
          <span className="space" />
          <Button look="primary" data-autofocus onClick={closeExchange}>
            {text.common.close}
          </Button>
        </>
      }
    >
      {exchange.kind === 'merged' ? (
        <Merged exchange={exchange} />
      ) : (
        <>
          <dl className="facts-list">
            <dt>{words.file}</dt>
            <dd className="mono-12">{exchange.file}</dd>
            <dt>{words.entries}</dt>
            <dd className="tabular">{text.common.format.count(exchange.entries)}</dd>
          </dl>
          <p className="quiet text-12">{words.exportText}</p>
        </>
      )}
    </Dialog>
  );
}

function Merged({ exchange: { report } }: { exchange: Extract<Exchange, { kind: 'merged' }> }) {
  const text = useText();
  const words = text.exchange;
  const { count } = text.common.format;
  const facts: [string, string][] = [
    [words.from, report.from],
    [words.people, report.people.length === 0 ? words.nobody : report.people.join(', ')],
    [words.added, count(report.added)],
    [words.known, count(report.known)],
    [words.runs, count(report.runs.length)],
    [words.differ, count(report.disagreements)],
  ];
  return (
    <>
      <dl className="facts-list">
        {facts.map(([name, value]) => (
          <div key={name} className="facts-pair">
            <dt>{name}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
        {report.kept.entries > 0 && (
          <div className="facts-pair">
            <dt>{words.kept}</dt>
            <dd>{words.keptText(count(report.kept.entries), count(report.kept.runs.length))}</dd>
          </div>
        )}
      </dl>
      {report.disagreements > 0 && <p className="quiet text-12">{words.differText}</p>}
    </>
  );
}
