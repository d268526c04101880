import type { FindingView } from '@shared/contract/export-views';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Empty } from '../../components/Empty';
import { FailureLine } from '../../components/FailureLine';
import { Icon } from '../../components/Icon';
import { useKept } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { openStep } from '../tokens/open-step';
import type { OptionsInput } from './export-calls';
import { allow, disallow, findingsInput, useExport } from './export-state';
import { useSettled } from './use-preview';

const close = () => useExport.setState({ findings: false });

/** What is replaced in the files, and where it was; a person may let a finding stay, by its name. */
export function FindingsDialog({ options, version }: { options: OptionsInput; version: string }) {
  const words = useText();
  const text = words.exporting;
  const allowed = useExport((state) => state.draft.allowed);
  const [last, setLast] = useState<FindingView | null>(null);
  const { answer, failure, waiting } = useKept(
    'export.findings',
    useSettled(findingsInput(options)),
    version,
  );
  const value = answer?.value ?? null;
  const findings = (value?.findings ?? []).map((each) => ({ ...each, allowed: allowed.includes(each.name) }));
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return (
    <Dialog
      title={text.findings}
      width="wide"
      closeLabel={words.common.close}
      onClose={close}
      head={
        value !== null && (
          <span className="text-12 quiet" role="status">
            {text.findingsCount(findings.length, findings.filter((each) => each.allowed).length)}
          </span>
        )
      }
      foot={
        <>
          {last === null || !allowed.includes(last.name) ? (
            <span className="text-12 quiet">{waiting ? text.scanning : text.findingsNote}</span>
          ) : (
            <span className="row text-12" role="status">
              {text.allowedNow(last.excerpt)}
              <Button
                small
                onClick={() => {
                  disallow(last.name);
                  setLast(null);
                }}
              >
                {words.labels.undo}
              </Button>
            </span>
          )}
          <span className="space" />
          <Button onClick={close}>{words.common.close}</Button>
        </>
      }
    >
      {failure !== null && <FailureLine failure={failure} />}
      {value === null && failure === null && <p className="quiet text-12">{text.scanning}</p>}
      {value !== null && findings.length === 0 && (
        <Empty
          icon="check"
          title={text.noFindings}
          text={text.noFindingsText(words.common.format.bytes(value.scannedBytes))}
        />
      )}
      {rules.map((rule) => {
        const own = findings.filter((each) => each.rule === rule);
        return (
          <section key={rule} className="findings">
            <h3 className="sheet-group">{text.findingRule(rule, own.length)}</h3>
            <ul>
              {own.map((finding) => (
                <Finding key={finding.name} finding={finding} onAllow={setLast} />
              ))}
            </ul>
          </section>
        );
      })}
    </Dialog>
  );
}

function Finding({ finding, onAllow }: { finding: FindingView; onAllow: (finding: FindingView) => void }) {
  const words = useText();
  const text = words.exporting;
  const runs = useRuns((state) => state.list);
  const { name, excerpt, placeholder, count, places, allowed } = finding;
  const toggle = () => {
    if (allowed) {
      disallow(name);
      return;
    }
    allow(name);
    onAllow(finding);
  };
  return (
    <li className="finding" data-finding={name} data-allowed={allowed}>
      <div className="finding-head">
        <Icon name={allowed ? 'warning' : 'lock'} small />
        <span className="mono-12">{excerpt}</span>
        {allowed ? (
          <b className="tone-attention strong text-12">{text.staysInFiles}</b>
        ) : (
          <span className="text-12 soft">
            {text.replacedBy} <span className="mono-12">{placeholder}</span>
          </span>
        )}
        <span className="space" />
        <span className="text-12 quiet tabular">{text.times(words.common.format.count(count), count)}</span>
        <Button small onClick={toggle} aria-label={text.allowName(allowed, excerpt)}>
          {allowed ? text.replace : text.allow}
        </Button>
      </div>
      <p className="finding-name mono-11 quiet">{text.findingName(name)}</p>
      <ul className="finding-places text-12">
        {places.map((place, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places of one answer keep their order
          <li key={index}>
            {place.step > 0 ? (
              <button
                type="button"
                className="link tabular"
                onClick={() => {
                  close();
                  openStep(place.run, place.step);
                }}
              >
                {words.labels.scopeStep(place.step)}
              </button>
            ) : (
              <span>{text.runHead}</span>
            )}
            <span className="quiet cut">
              {text.placeIn(
                place.field,
                runs.find(({ id }) => id === place.run)?.title ?? place.run.slice(-6),
              )}
            </span>
          </li>
        ))}
        {count > places.length && (
          <li className="quiet">{text.morePlaces(words.common.format.count(count - places.length))}</li>
        )}
      </ul>
    </li>
  );
}
