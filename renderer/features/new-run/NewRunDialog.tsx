import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Empty } from '../../components/Empty';
import { refreshAnswers } from '../../state/answer-cache';
import { useNewest } from '../../state/answers';
import { openRun } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { openDialog } from '../../state/view';
import { useText } from '../../text/language';
import { CatalogueList } from './CatalogueList';
import { NewRunForm } from './NewRunForm';
import './new-run.css';

export interface NewRunDialogProps {
  onClose: () => void;
}

/** Task, model, computer, limits and approvals of a new run; nothing starts before the checks are read. */
export function NewRunDialog({ onClose }: NewRunDialogProps) {
  const words = useText();
  const text = words.newRun;
  const endpoints = useSettings((state) => state.settings?.endpoints ?? []);
  const tasks = useNewest('tasks.list', undefined)?.value ?? null;
  const [catalogue, setCatalogue] = useState(false);

  if (catalogue) return <CatalogueList onClose={() => setCatalogue(false)} />;
  const addTask = () =>
    attempt(async () => {
      if ((await call('tasks.add')) !== null) refreshAnswers('tasks.list');
    });
  const runDemo = () =>
    attempt(async () => {
      const { run } = await call('demo.start');
      await openRun(run);
      onClose();
    });
  const fill = (
    <>
      <Button icon="plus" onClick={addTask}>
        {text.addTask}
      </Button>
      <Button icon="book" onClick={() => setCatalogue(true)}>
        {text.fromCatalogue}
      </Button>
      <Button icon="play" onClick={runDemo}>
        {words.firstUse.demo}
      </Button>
    </>
  );
  if (tasks === null || tasks.length === 0 || endpoints.length === 0) {
    return (
      <Dialog title={text.title} closeLabel={words.common.close} onClose={onClose}>
        {tasks !== null && tasks.length === 0 && (
          <Empty icon="folder" title={text.noTaskTitle} text={text.noTaskText}>
            {fill}
          </Empty>
        )}
        {tasks !== null && tasks.length > 0 && (
          <Empty icon="key" title={text.noModelTitle} text={text.noModelText}>
            <Button look="primary" onClick={() => openDialog('settings')}>
              {text.openSettings}
            </Button>
            <Button icon="play" onClick={runDemo}>
              {words.firstUse.demo}
            </Button>
          </Empty>
        )}
      </Dialog>
    );
  }
  return <NewRunForm tasks={tasks} endpoints={endpoints} fill={fill} onClose={onClose} />;
}
