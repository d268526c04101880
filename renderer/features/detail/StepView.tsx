import type { StepDetail, StepHead } from '@shared/contract/views';
import { useMemo } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { lazily } from '../../components/lazily';
import { useDetail } from '../../state/run/detail';
import { useLive } from '../../state/run/live';
import { useRuns } from '../../state/run/runs';
import { useCursorHead } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { openRunAt } from '../branches/branches';
import { StepDatasets } from '../datasets/StepDatasets';
import { RenderedText } from '../rendering/RenderedText';
import { ActionBlock } from './ActionBlock';
import { BoundedText } from './BoundedText';
import { Evidence } from './Evidence';
import { Facts } from './Facts';
import { Section } from './Section';
import { StepFiles } from './StepFiles';
import { StepTerminals } from './StepTerminals';
import './detail-extras.css';

// Reading a summary takes its schema, and the window starts without schemas.
const SummaryStory = lazily(() => import('./SummaryStory').then((m) => m.SummaryStory));

/** Thought, actions, observations and what followed, in the order in which they happened. */
export function StepView({ run, step }: { run: string; step: number }) {
  const text = useText();
  const head = useCursorHead();
  const detail = useDetail(run, step);
  if (head === undefined && detail === undefined) return null;
  const shown = detail?.head ?? head;
  return (
    <>
      {shown !== undefined && <Facts head={head ?? shown} detail={detail} />}
      {shown?.done && <Evidence run={run} step={step} head={head ?? shown} detail={detail} />}
      {shown !== undefined && shown.inheritedFrom !== null && (
        <InheritedNote run={shown.inheritedFrom} step={step} />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard */}
      <section className="scroll" data-pane-focus tabIndex={0} aria-label={text.detail.step(step)}>
        {detail === undefined ? (
          <Section name={text.detail.action}>
            <div className="code code-wrap">{shown === undefined ? '' : `${shown.tool} ${shown.title}`}</div>
          </Section>
        ) : (
          <Story detail={detail} />
        )}
        <LiveStory run={run} step={step} />
      </section>
    </>
  );
}

function Story({ detail }: { detail: StepDetail }) {
  const text = useText();
  const words = text.detail;
  const many = detail.observations.length;
  return (
    <>
      {detail.reasoning !== '' && (
        <Section name={words.reasoning} note={words.reasoningNote}>
          <RenderedText text={detail.reasoning} hint={{ origin: 'model' }} lines={8} />
        </Section>
      )}
      {detail.text.trim() !== '' && (
        <Section name={words.thought}>
          <RenderedText text={detail.text.trim()} hint={{ origin: 'model' }} lines={24} />
        </Section>
      )}
      {many === 0 && detail.head.kind !== 'summary' && (
        <Section name={words.action}>
          <p className="quiet text-12 section-line">{words.noAction}</p>
        </Section>
      )}
      {detail.head.kind === 'summary' ? (
        <SummaryStory detail={detail} />
      ) : (
        detail.observations.map((observation, index) => (
          <ActionBlock
            key={observation.callId}
            run={detail.head.inheritedFrom ?? detail.head.run}
            observation={observation}
            index={index}
            of={many}
          />
        ))
      )}
      {detail.shortened.length > 0 && (
        <Section name={words.context}>
          {detail.shortened.map(({ was, kept }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what happened once stays in its place
            <p key={index} className="section-line">
              {words.shortened(text.common.format.count(was), text.common.format.count(kept))}
            </p>
          ))}
        </Section>
      )}
      {detail.taught !== null && (
        <Section name={words.taught} note={words.taughtNote}>
          <BoundedText text={detail.taught} look="code" lines={16} />
        </Section>
      )}
      {detail.files.length > 0 && (
        <StepFiles run={detail.head.run} step={detail.head.step} files={detail.files} />
      )}
      <Evaluations head={detail.head} />
      {detail.hintText !== null && (
        <Section name={words.hint} note={words.hintNote}>
          <div className="hint-text">
            <BoundedText text={detail.hintText.trim()} look="code" lines={24} />
          </div>
        </Section>
      )}
      {detail.head.inheritedFrom === null && <StepTerminals run={detail.head.run} offsets={detail.offsets} />}
      <StepDatasets run={detail.head.inheritedFrom ?? detail.head.run} step={detail.head.step} />
      {detail.imported !== null && <Imported imported={detail.imported} />}
    </>
  );
}

/** Parts of an imported step that have no place above, as they were. */
function Imported({ imported }: { imported: NonNullable<StepDetail['imported']> }) {
  const words = useText().detail;
  const json = useMemo(() => JSON.stringify(imported.unknown, null, 2), [imported]);
  return (
    <Section name={words.source}>
      <p className="section-line quiet text-12">{imported.source}</p>
      {Object.keys(imported.unknown).length > 0 && (
        <>
          <p className="section-line text-12">{words.imported}</p>
          <RenderedText text={json} hint={{ origin: 'program' }} lines={24} />
        </>
      )}
    </Section>
  );
}

function Evaluations({ head }: { head: StepHead }) {
  const text = useText();
  const scores = head.after.filter((note) => note.kind === 'score');
  if (scores.length === 0) return null;
  return (
    <Section name={text.detail.evaluation}>
      {scores.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what happened once stays in its place
        <p key={index} className="section-line">
          <b className="medium tabular">
            {note.score === null
              ? text.timeline.scoreUnavailable
              : text.timeline.score(text.common.format.score(note.score))}
          </b>{' '}
          <span className="soft">{note.message}</span>
        </p>
      ))}
    </Section>
  );
}

/** What the model is writing after this step, while it writes. */
function LiveStory({ run, step }: { run: string; step: number }) {
  const text = useText();
  const answer = useLive((state) => state.answer);
  if (answer === null || answer.run !== run || answer.step !== step + 1) return null;
  const thought = (answer.text || answer.reasoning).trim();
  return (
    <div className="live-story">
      <Section name={text.detail.step(answer.step)} note={text.detail.thinkingNow}>
        {thought !== '' && <p className="soft live-text">{thought.slice(-1200)}</p>}
        {answer.call !== '' && <div className="code code-wrap">{answer.call.slice(-1200)}</div>}
      </Section>
    </div>
  );
}

/** A step of another run that this branch took over: where it was made, and the way there. */
function InheritedNote({ run, step }: { run: string; step: number }) {
  const text = useText();
  const title = useRuns((state) => state.list.find((other) => other.id === run)?.title) ?? run.slice(-6);
  return (
    <p className="inherited text-12">
      <Icon name="branch" small />
      <span>{text.timeline.fromRun(title)}</span>
      <span className="space" />
      <Button look="ghost" small onClick={() => attempt(() => openRunAt(run, step))}>
        {text.branches.openThere}
      </Button>
      <span className="quiet inherited-text">{text.timeline.inheritedText}</span>
    </p>
  );
}
