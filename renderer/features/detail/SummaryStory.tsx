import { readSummary } from '@shared/context/summary';
import type { StepDetail } from '@shared/contract/views';
import { useMemo } from 'react';
import { useText } from '../../text/language';
import type { SummaryNote } from '../timeline/row-words';
import { BoundedText } from './BoundedText';
import { Section } from './Section';

/** A summary turn to read: what it stands for, its eight parts, and what it no longer mentions. */
export function SummaryStory({ detail }: { detail: StepDetail }) {
  const text = useText();
  const words = text.detail;
  const note = detail.head.after.find((one) => one.kind === 'summary');
  const answer = useMemo(() => {
    const calls = detail.observations.map(({ name, rawArguments }) => ({ name, arguments: rawArguments }));
    return readSummary({ text: detail.text, calls, finishReason: null }, []);
  }, [detail]);
  return (
    <>
      {note?.kind === 'summary' && <Stands note={note} />}
      {answer.ok ? (
        <>
          {Object.entries(answer.summary.parts).map(([key, part]) => (
            <Section key={key} name={words.summaryPart(key)}>
              <BoundedText text={part} look="prose" lines={16} />
            </Section>
          ))}
          <Section
            name={words.summaryPart('reflections')}
            note={words.reflections(answer.summary.reflections.length)}
          >
            <ul className="reflections">
              {answer.summary.reflections.map(({ hint, text: lesson }) => (
                <li key={`${hint} ${lesson}`} className="prose">
                  {hint !== '' && <span className="chip chip-hint reflection-hint">{hint}</span>}
                  {lesson}
                </li>
              ))}
            </ul>
          </Section>
        </>
      ) : (
        detail.observations.map((call) => (
          <Section key={call.callId} name={words.summary}>
            <BoundedText text={call.rawArguments} look="code" lines={40} />
          </Section>
        ))
      )}
      {note?.kind === 'summary' && note.missing.length > 0 && <Lost note={note} />}
    </>
  );
}

function Stands({ note }: { note: SummaryNote }) {
  const text = useText();
  const { timeline } = text;
  const { format } = text.common;
  return (
    <Section name={text.detail.summary}>
      <p className="section-line">
        {timeline.summarised(note.steps?.from ?? null, note.steps?.to ?? null)}{' '}
        {note.pair && timeline.andSummary}
      </p>
      <p className="section-line quiet tabular">
        {timeline.tokensFromTo(format.count(note.tokensBefore), format.count(note.tokensAfter))}
        {' · '}
        {note.carried === null
          ? timeline.nothingCarried
          : timeline.carriedOn(note.carried.from, note.carried.to)}
      </p>
    </Section>
  );
}

function Lost({ note }: { note: SummaryNote }) {
  const text = useText();
  const words = text.detail;
  return (
    <Section name={words.lost} note={text.common.format.count(note.missing.length)}>
      <dl className="lost-list">
        {note.missing.map(({ kind, text: name }) => (
          <div key={`${kind} ${name}`}>
            <dt className="quiet text-12">{text.timeline.lostKind(kind)}</dt>
            <dd className={`mono-12 ${kind === 'hint' ? 'tone-hint' : ''}`}>{name}</dd>
          </div>
        ))}
      </dl>
      <p className="section-line quiet text-12">{words.lostText}</p>
    </Section>
  );
}
