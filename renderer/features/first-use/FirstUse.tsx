import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { TextField } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { openComputers } from '../../state/computers';
import { openRun, useRuns } from '../../state/run/runs';
import { saveSettings, useSettings } from '../../state/settings';
import { attempt, toastFailure } from '../../state/toasts';
import { openDialog } from '../../state/view';
import { chooseWorkspace, setWorkspace, useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { KeyCaps, useCaps } from '../shortcuts/CommandKeys';

/** Before the first run: who annotates, where data are kept, and how to begin. */
export function FirstUse() {
  const text = useText();
  const words = text.firstUse;
  const { format } = text.common;
  const annotator = useSettings((state) => state.settings?.annotator);
  const workspace = useWorkspace((state) => state.status);
  const [typed, setTyped] = useState<string | null>(null);
  const [starting, setStarting] = useState(false);
  const name = annotator?.name ?? '';
  const editing = typed !== null || name === '';
  const folder = workspace?.folder ?? null;
  const free = workspace?.freeBytes == null ? text.common.unknown : format.bytes(workspace.freeBytes);
  const now = name === '' ? 1 : folder === null ? 2 : 3;

  async function saveName(): Promise<void> {
    const chosen = (typed ?? '').trim();
    if (chosen === '') return;
    await saveSettings({ annotator: { uuid: annotator?.uuid ?? '', name: chosen } });
    setTyped(null);
  }
  async function runDemo(): Promise<void> {
    setStarting(true);
    try {
      const { run } = await call('demo.start');
      await openRun(run);
    } catch (thrown) {
      toastFailure(thrown);
    } finally {
      setStarting(false);
    }
  }

  return (
    <main className="first-use content">
      <div className="first-use-box">
        <header className="first-use-head">
          <svg className="first-use-mark" viewBox="0 0 64 64" aria-hidden="true">
            <rect
              x="2.75"
              y="2.75"
              width="58.5"
              height="58.5"
              rx="13.25"
              fill="var(--bg-panel)"
              stroke="var(--line-strong)"
              strokeWidth="1.5"
            />
            <rect x="12" y="32" width="16" height="20" rx="2" fill="var(--fg)" />
            <rect x="36" y="12" width="16" height="20" rx="2" fill="var(--label-train)" />
          </svg>
          <div>
            <h1 className="text-20">{words.title}</h1>
            <p className="quiet">{words.lead}</p>
          </div>
        </header>
        <div className="first-use-columns">
          <ol className="card">
            <Stage
              number={1}
              now={now}
              done={name !== ''}
              title={words.nameTitle}
              note={name === '' ? words.nameText : name}
            >
              {editing ? (
                <form
                  className="row"
                  onSubmit={(event) => {
                    event.preventDefault();
                    attempt(saveName);
                  }}
                >
                  <TextField
                    className="first-use-name"
                    aria-label={words.nameTitle}
                    placeholder={words.namePlaceholder}
                    maxLength={80}
                    autoFocus
                    value={typed ?? name}
                    onChange={(event) => setTyped(event.target.value)}
                  />
                  <Button
                    type="submit"
                    look={now === 1 ? 'primary' : 'plain'}
                    disabled={(typed ?? '').trim() === ''}
                  >
                    {words.nameSave}
                  </Button>
                </form>
              ) : (
                <Button onClick={() => setTyped(name)}>{words.change}</Button>
              )}
            </Stage>
            <Stage
              number={2}
              now={now}
              done={folder !== null}
              title={words.folderTitle}
              note={words.folderFree(folder ?? workspace?.defaultFolder ?? '', free)}
              help={folder === null ? words.folderText : undefined}
            >
              {folder === null && (
                <Button
                  look={now === 2 ? 'primary' : 'plain'}
                  onClick={() => attempt(async () => setWorkspace(await call('workspace.openDefault')))}
                >
                  {words.useDefault}
                </Button>
              )}
              <Button onClick={() => attempt(chooseWorkspace)}>{words.choose}</Button>
            </Stage>
            <Stage number={3} now={now} done={false} title={words.startTitle} note={words.startText}>
              <div className="first-use-start">
                <Button
                  look={now === 3 ? 'primary' : 'plain'}
                  icon="play"
                  disabled={now !== 3 || starting}
                  onClick={() => attempt(runDemo)}
                >
                  {starting ? words.starting : words.demo}
                </Button>
                <Button disabled={now !== 3} onClick={() => openDialog('newRun')}>
                  {words.newRun}
                </Button>
                <Button disabled={now !== 3} onClick={() => openDialog('import')}>
                  {text.importing.title}
                </Button>
                <Button onClick={() => attempt(chooseWorkspace)}>{words.open}</Button>
                <Button icon="chip" onClick={() => openComputers()}>
                  {text.computers.add}
                </Button>
              </div>
              {now !== 3 && <p className="text-12 quiet">{now === 1 ? words.nameNeeds : words.demoNeeds}</p>}
            </Stage>
          </ol>
          <Preview />
        </div>
      </div>
    </main>
  );
}

interface StageProps {
  number: number;
  now: number;
  done: boolean;
  title: string;
  note: string;
  help?: string | undefined;
  children: ReactNode;
}

function Stage({ number, now, done, title, note, help, children }: StageProps) {
  return (
    <li
      className={`stage ${number === now ? 'stage-now' : ''}`}
      aria-current={number === now ? 'step' : undefined}
    >
      {done ? (
        <span className="stage-done">
          <Icon name="check" small />
        </span>
      ) : (
        <span className={`mono-12 stage-number ${number === now ? 'tone-accent' : 'quiet'}`}>{number}</span>
      )}
      <div className="stage-text">
        <h2 className="medium">{title}</h2>
        <p className="text-12 quiet">{note}</p>
        {help !== undefined && <p className="text-12 quiet">{help}</p>}
      </div>
      <div className="stage-act">{children}</div>
    </li>
  );
}

/** What comes after: the four things one does in this window. */
function Preview() {
  const text = useText();
  const words = text.firstUse;
  const loaded = useRuns((state) => state.loaded);
  const lines = [
    { say: words.what1, caps: useCaps('step.next') },
    { say: words.what2, caps: useCaps('hint.compose') },
    { say: words.what3, caps: [...useCaps('label.train'), ...useCaps('label.mask')] },
    { say: words.what4, caps: useCaps('mode.export') },
  ];
  return (
    <section className="card" aria-label={words.whatTitle} data-loaded={loaded}>
      <div className="pane-head">
        <h2>{words.whatTitle}</h2>
      </div>
      <ol className="first-use-what">
        {lines.map((line) => (
          <li key={line.say}>
            <KeyCaps caps={line.caps} />
            <span>{line.say}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
