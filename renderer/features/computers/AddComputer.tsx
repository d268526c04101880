import { hostAliasSchema, type TransportKind } from '@shared/contract/computers';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { FormLine, TextField } from '../../components/Field';
import { useAsked, useNewest } from '../../state/answers';
import {
  addComputer,
  cancelTest,
  dropTest,
  openComputers,
  testComputer,
  useComputers,
} from '../../state/computers';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { HostFactsView } from './HostFactsView';
import { useFocusWhenLost } from './HostPage';
import { ResolutionView } from './ResolutionView';
import { StageList } from './StageList';
import { TestOutcome } from './TestOutcome';
import { TransportChoice } from './TransportChoice';

/** Choose a host, see how it resolves, test it stage by stage, add it. */
export function AddComputer({ alias }: { alias: string }) {
  const [chosen, setChosen] = useState(alias);
  const text = useText().computers;
  return (
    <section aria-label={text.addTitle} className="host-page">
      {chosen === '' ? (
        <ChooseHost onChoose={setChosen} />
      ) : (
        <TryHost
          key={chosen}
          alias={chosen}
          onOther={() => {
            cancelTest(chosen);
            dropTest(chosen);
            setChosen('');
          }}
        />
      )}
    </section>
  );
}

function ChooseHost({ onChoose }: { onChoose: (alias: string) => void }) {
  const text = useText().computers;
  const rows = useComputers((state) => state.rows);
  const candidates = useNewest('computers.candidates', undefined, rows.length)?.value ?? null;
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const wanted = typed.trim();
  const fitting = (candidates ?? []).filter((alias) => alias.toLowerCase().includes(wanted.toLowerCase()));
  function take(alias: string): void {
    if (rows.some((row) => row.alias === alias)) setWrong(text.addedAlready);
    else if (hostAliasSchema.safeParse(alias).success) onChoose(alias);
    else setWrong(text.wrongAlias);
  }
  return (
    <form
      className="choose-host"
      onSubmit={(event) => {
        event.preventDefault();
        take(wanted);
      }}
    >
      <h3 className="text-15">{text.addTitle}</h3>
      <p className="soft">{text.addLead}</p>
      <FormLine label={text.host} help={text.hostHelp} error={wrong}>
        {({ id, describedBy, invalid }) => (
          <div className="row">
            <TextField
              id={id}
              className="mono"
              aria-describedby={describedBy}
              aria-invalid={invalid}
              placeholder={text.hostPlaceholder}
              maxLength={255}
              autoFocus
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setWrong(null);
              }}
            />
            <Button type="submit" look="primary" disabled={wanted === ''}>
              {text.next}
            </Button>
          </div>
        )}
      </FormLine>
      {candidates !== null && (
        <div className="candidates">
          <h4>{text.candidates}</h4>
          {fitting.length === 0 ? (
            <p className="quiet text-12">
              {candidates.length === 0 ? text.noCandidates : text.noCandidateFits(wanted)}
            </p>
          ) : (
            <ul>
              {fitting.map((alias) => (
                <li key={alias}>
                  <button type="button" className="candidate mono-12" onClick={() => take(alias)}>
                    {alias}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </form>
  );
}

function TryHost({ alias, onOther }: { alias: string; onOther: () => void }) {
  const text = useText().computers;
  const resolution = useAsked('computers.resolve', alias === '' ? null : { alias });
  const test = useComputers((state) => state.tests[alias]);
  const added = useComputers((state) => state.rows.some((row) => row.alias === alias));
  const [choice, setChoice] = useState<TransportKind | null>(null);
  const begin = useRef<HTMLButtonElement>(null);
  const head = useRef<HTMLElement>(null);
  useFocusWhenLost(begin);
  const needs = resolution.value?.needsOpenSsh ?? [];
  const transport = choice ?? (needs.length > 0 ? 'openssh' : 'ssh2');
  const running = test?.running === true;
  const passed = test?.report?.ok === true && test.report.transport === transport;
  const failed = test !== undefined && !running && !passed;
  // The stages stand first: what the person waits for comes into sight, and nothing moves while they arrive.
  useEffect(() => {
    if (running) head.current?.scrollIntoView({ block: 'start' });
  }, [running]);
  const add = () =>
    attempt(async () => {
      await addComputer(alias, transport);
      toast((now) => now.computers.added(alias));
    });
  return (
    <>
      <header ref={head} className="host-head">
        <h3 className="text-15 cut">{alias}</h3>
        <span className="space" />
        <Button look="ghost" onClick={onOther}>
          {text.another}
        </Button>
      </header>
      {test !== undefined && (
        <section aria-label={text.stages} className="host-section">
          <h4>{text.stages}</h4>
          <StageList alias={alias} stages={test.stages} running={running} />
          <TestOutcome test={test} report={test.report} />
        </section>
      )}
      {test?.report != null && test.report.facts !== null && <HostFactsView report={test.report} />}
      <section aria-label={text.resolution} className="host-section">
        <h4>{text.resolution}</h4>
        <ResolutionView state={resolution} />
      </section>
      <section aria-label={text.transport} className="host-section">
        <h4>{text.transport}</h4>
        <TransportChoice chosen={transport} needsOpenSsh={needs} onChoose={setChoice} />
      </section>
      <footer className="host-foot">
        {!passed && !running && <span className="quiet text-12">{text.addUntested}</span>}
        <span className="space" />
        {running ? (
          <Button onClick={() => cancelTest(alias)}>{text.cancelTest}</Button>
        ) : (
          <Button
            ref={begin}
            look={passed ? 'plain' : 'primary'}
            data-autofocus
            onClick={() => attempt(() => testComputer(alias, transport))}
          >
            {passed || failed ? text.testAgain : text.test}
          </Button>
        )}
        {added ? (
          <Button onClick={() => openComputers(alias)}>{text.addedAlready}</Button>
        ) : (
          <Button look={passed ? 'primary' : 'plain'} disabled={running} onClick={add}>
            {passed ? text.addIt : text.addAnyway}
          </Button>
        )}
      </footer>
    </>
  );
}
