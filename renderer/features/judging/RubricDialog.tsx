import type { RubricView } from '@shared/contract/rubric-views';
import { type RubricKind, rubricKinds } from '@shared/judging/rubric-text';
import { useState } from 'react';
import { call, failureOf } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { FailureLine } from '../../components/FailureLine';
import { TextArea } from '../../components/Field';
import { Segmented } from '../../components/Tabs';
import { useNow } from '../../components/useNow';
import { useAsked } from '../../state/answers';
import { useOwnFailure } from '../../state/own-failure';
import { useRuns } from '../../state/run/runs';
import { toast } from '../../state/toasts';
import { useOnlyRead } from '../../state/workspace';
import { useText } from '../../text/language';
import { ChangedLines } from '../prompt/ChangedLines';
import { openJudge } from './judging';
import { RubricTrialPart } from './RubricTrialPart';
import {
  draftKey,
  draftWith,
  isOvertaken,
  keptAs,
  problemOf,
  type RubricDraft,
  setDraft,
  standingText,
  useRubric,
} from './rubric';
import './judging.css';

/** The rubrics that a task's steps and summaries are judged by: changing one, trying the change on a run, and keeping or dropping it. */
export function RubricDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.rubric;
  const task = useRubric((state) => state.task);
  const title = useRuns((state) => state.list.find((run) => run.task.id === task)?.task.title) ?? task ?? '';
  const kind = useRubric((state) => state.kind);
  // Both at once, so that one takes the place of the other without a wait.
  const asked = {
    steps: useAsked('rubric.ofTask', task === null ? null : { task, kind: 'steps' }),
    summaries: useAsked('rubric.ofTask', task === null ? null : { task, kind: 'summaries' }),
  }[kind];
  if (asked.value !== null)
    return <Editor title={words.title(title)} view={asked.value} again={asked.again} onClose={onClose} />;
  return (
    <Dialog title={words.title(title)} closeLabel={text.common.close} onClose={onClose}>
      {task === null && <p className="quiet">{words.noRun}</p>}
      {task !== null && asked.failure === null && <p className="quiet text-12">{words.loading}</p>}
      {asked.failure !== null && <FailureLine failure={asked.failure} />}
    </Dialog>
  );
}

interface EditorProps {
  title: string;
  view: RubricView;
  again: () => void;
  onClose: () => void;
}

function Editor({ title, view, again, onClose }: EditorProps) {
  const text = useText();
  const words = text.rubric;
  const now = useNow(60_000);
  const onlyRead = useOnlyRead();
  const changed = useRubric((state) => state.drafts[draftKey(view)]);
  // Somebody may have kept the very text meanwhile, this person by a save of which the end was not heard.
  const draft = changed?.text === standingText(view) ? undefined : changed;
  const [shown, setShown] = useState<'text' | 'changes'>('text');
  const [saving, setSaving] = useState(false);
  // A save was refused because of another's text: whoever looks at it may go on to replace it.
  const [refused, setRefused] = useState<RubricKind | null>(null);
  const { failure, tell, clear } = useOwnFailure();
  const { kind, kept, builtIn, version } = view;
  const typed = draft?.text ?? standingText(view);
  const problem = problemOf(typed);
  const change = (next: RubricDraft | null) => {
    clear();
    setDraft(view, next);
  };
  const isBehind = refused === kind && draft !== undefined && isOvertaken(view, draft);
  const type = (next: string) => change(draftWith(view, next, draft));
  const why = onlyRead
    ? text.frame.onlyReadWhy
    : problem !== null
      ? words[problem]
      : isBehind
        ? words.overtaken(kept?.author ?? null)
        : null;

  /** `before`: the text that this one takes the place of. */
  async function save(before: string | null): Promise<void> {
    setSaving(true);
    clear();
    try {
      const { task } = view;
      const { adopted } = await call('rubric.keep', {
        task,
        kind,
        text: keptAs(view, typed),
        before,
      });
      setDraft(view, null);
      setRefused(null);
      const runs = useRuns.getState().list.flatMap((run) => (run.task.id === task ? [run.id] : []));
      toast(({ rubric }) => rubric.saved(adopted), {
        say: ({ rubric }) => rubric.askChanged[kind],
        run: () => openJudge(runs, 'changed'),
      });
      again();
    } catch (thrown) {
      tell(thrown);
      if (failureOf(thrown).code === 'conflict') {
        setRefused(kind);
        setShown('changes');
      }
      // Somebody else's text may hold now: the changes are shown against it.
      again();
    } finally {
      setSaving(false);
    }
  }

  return (
    <Dialog
      title={title}
      closeLabel={text.common.close}
      width="wide"
      onClose={onClose}
      head={
        <>
          <Segmented
            label={words.kind}
            items={rubricKinds.map((id) => ({ id, label: words.kinds[id] }))}
            chosen={kind}
            onChoose={(next) => {
              clear();
              setShown('text');
              useRubric.setState({ kind: next });
            }}
          />
          <Segmented
            label={words.view}
            items={(['text', 'changes'] as const).map((id) => ({ id, label: words.views[id] }))}
            chosen={shown}
            onChoose={setShown}
          />
        </>
      }
      foot={
        <>
          <span className="judge-why text-12 quiet" role="status" data-testid="rubric-state">
            {why ??
              (draft !== undefined
                ? words.edited
                : kept === null
                  ? words.builtIn(version)
                  : words.keptBy(kept.author, text.common.format.when(kept.at, now), version))}
          </span>
          <Button disabled={typed.trim() === builtIn.trim() || saving} onClick={() => type(builtIn)}>
            {words.useBuiltIn}
          </Button>
          <Button disabled={draft === undefined || saving} onClick={() => change(null)}>
            {words.discard}
          </Button>
          <Button
            look="primary"
            disabled={draft === undefined || why !== null || saving}
            onClick={() => draft !== undefined && void save(draft.before)}
          >
            {saving ? words.saving : words.save}
          </Button>
        </>
      }
    >
      {failure !== null && <FailureLine failure={failure} />}
      <div className={kind === 'steps' ? 'rubric' : 'rubric rubric-alone'}>
        <div className="rubric-text">
          {shown === 'text' ? (
            <TextArea
              className="mono-12 rubric-field"
              aria-label={words.field}
              aria-describedby="rubric-help"
              aria-invalid={problem !== null}
              data-autofocus
              spellCheck={false}
              value={typed}
              onChange={(event) => type(event.target.value)}
            />
          ) : (
            <section className="rubric-changes" aria-label={words.views.changes}>
              {isBehind && (
                <div className="rubric-overtaken text-12">
                  <span>{words.overtakenBy(kept?.author ?? null)}</span>
                  <Button
                    small
                    disabled={onlyRead || problem !== null || saving}
                    onClick={() => void save(kept?.text ?? null)}
                  >
                    {words.saveOver}
                  </Button>
                </div>
              )}
              {draft === undefined ? (
                <p className="quiet text-12">{words.noChanges}</p>
              ) : (
                <ChangedLines before={standingText(view)} after={typed} />
              )}
            </section>
          )}
          <p id="rubric-help" className="form-help">
            {words.help[kind]}
          </p>
        </div>
        {kind === 'steps' && (
          <RubricTrialPart
            task={view.task}
            text={typed}
            isChanged={draft !== undefined && problem === null}
            onGo={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}
