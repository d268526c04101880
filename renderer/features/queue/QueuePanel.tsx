import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { Tabs } from '../../components/Tabs';
import { useText } from '../../text/language';
import { AssignForm } from './AssignForm';
import { MyPace } from './MyPace';
import { MyQueue } from './MyQueue';
import { PeopleTable } from './PeopleTable';

type Tab = 'mine' | 'people' | 'assign' | 'pace';
const tabs: readonly Tab[] = ['mine', 'people', 'assign', 'pace'];

/** What waits for the person, who does what, handing out work, and the person's own pace. */
export function QueuePanel({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.queue;
  const [tab, setTab] = useState<Tab>('mine');
  return (
    <Dialog title={words.title} closeLabel={text.common.close} onClose={onClose} width="wide">
      <Tabs<Tab>
        label={words.tabs}
        items={tabs.map((id) => ({ id, label: words[id] }))}
        chosen={tab}
        onChoose={setTab}
        idBase="queue"
      />
      <div id="queue-panel" role="tabpanel" aria-labelledby={`queue-${tab}`} className="queue-panel">
        {tab === 'mine' && <MyQueue onGo={onClose} />}
        {tab === 'people' && <PeopleTable />}
        {tab === 'assign' && <AssignForm />}
        {tab === 'pace' && <MyPace onGo={onClose} />}
      </div>
    </Dialog>
  );
}
