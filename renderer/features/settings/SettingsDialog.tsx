import type { Settings } from '@shared/contract/settings';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { CheckLine, FormLine, Select, TextField } from '../../components/Field';
import { Tabs } from '../../components/Tabs';
import { openComputers } from '../../state/computers';
import { saveSettings, useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { chooseWorkspace, useWorkspace } from '../../state/workspace';
import { useText } from '../../text/language';
import { EndpointList } from './EndpointList';
import { KeyList } from './KeyList';
import './settings.css';

export interface SettingsDialogProps {
  onClose: () => void;
}

type Tab = 'general' | 'models' | 'keys';

/** Everything a person can set; each change is kept at once. */
export function SettingsDialog({ onClose }: SettingsDialogProps) {
  const words = useText();
  const text = words.settings;
  const settings = useSettings((state) => state.settings);
  const [tab, setTab] = useState<Tab>('general');
  if (settings === null) return null;
  return (
    <Dialog title={text.title} closeLabel={words.common.close} onClose={onClose} width="wide">
      <Tabs<Tab>
        label={text.title}
        items={[
          { id: 'general', label: text.general },
          { id: 'models', label: text.models },
          { id: 'keys', label: text.keys },
        ]}
        chosen={tab}
        onChoose={setTab}
        idBase="settings"
      />
      <div id="settings-panel" role="tabpanel" aria-labelledby={`settings-${tab}`} className="settings-panel">
        {tab === 'general' && <General settings={settings} />}
        {tab === 'models' && <EndpointList endpoints={settings.endpoints} />}
        {tab === 'keys' && <KeyList own={settings.keys} />}
      </div>
    </Dialog>
  );
}

function General({ settings }: { settings: Settings }) {
  const words = useText();
  const text = words.settings;
  const folder = useWorkspace((state) => state.status?.folder ?? null);
  const [name, setName] = useState(settings.annotator.name);
  const save = (change: Partial<Settings>) => attempt(() => saveSettings(change));
  const notify = (change: Partial<Settings['notifications']>) =>
    save({ notifications: { ...settings.notifications, ...change } });
  return (
    <>
      <FormLine label={text.annotator} help={text.annotatorHelp}>
        {({ id, describedBy }) => (
          <TextField
            id={id}
            aria-describedby={describedBy}
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.target.value)}
            onBlur={() => {
              if (name.trim() !== '') save({ annotator: { ...settings.annotator, name: name.trim() } });
            }}
          />
        )}
      </FormLine>
      <FormLine label={text.workspace} help={text.workspaceHelp}>
        {({ id }) => (
          <div className="row">
            <code id={id} className="mono-12 cut">
              {folder ?? words.common.none}
            </code>
            <span className="space" />
            <Button small onClick={() => attempt(chooseWorkspace)}>
              {text.openAnother}
            </Button>
          </div>
        )}
      </FormLine>
      <FormLine label={words.computers.title}>
        {({ id }) => (
          <div className="row">
            <span id={id} className="text-12 quiet">
              {words.computers.settingsLine(settings.computers.length)}
            </span>
            <span className="space" />
            <Button small onClick={() => openComputers()}>
              {words.computers.open}
            </Button>
          </div>
        )}
      </FormLine>
      <FormLine label={text.theme}>
        {({ id }) => (
          <Select
            id={id}
            value={settings.theme}
            options={[
              { value: 'system', label: text.asSystem },
              { value: 'dark', label: text.dark },
              { value: 'light', label: text.light },
            ]}
            onChoose={(theme) => save({ theme })}
          />
        )}
      </FormLine>
      <FormLine label={text.language}>
        {({ id }) => (
          <Select
            id={id}
            value={settings.language}
            options={[
              { value: 'system', label: text.asSystem },
              { value: 'en', label: text.english },
              { value: 'zh', label: text.chinese },
            ]}
            onChoose={(language) => save({ language })}
          />
        )}
      </FormLine>
      <FormLine label={text.notifications}>
        {() => (
          <div>
            <CheckLine
              checked={settings.notifications.waiting}
              onChange={(waiting) => notify({ waiting })}
              label={text.whenWaiting}
            />
            <CheckLine
              checked={settings.notifications.finished}
              onChange={(finished) => notify({ finished })}
              label={text.whenFinished}
            />
            <CheckLine
              checked={settings.notifications.failed}
              onChange={(failed) => notify({ failed })}
              label={text.whenFailed}
            />
            <CheckLine
              checked={settings.notifications.urgent}
              onChange={(urgent) => notify({ urgent })}
              label={text.whenUrgent}
            />
            <CheckLine
              checked={settings.notifications.findings}
              onChange={(findings) => notify({ findings })}
              label={text.whenFindings}
            />
          </div>
        )}
      </FormLine>
      <FormLine label={text.perHour} help={text.perHourHelp}>
        {({ id, describedBy }) => (
          <Select
            id={id}
            aria-describedby={describedBy}
            value={String(settings.notifications.perHour)}
            options={[...new Set([0, 1, 3, 6, 12, settings.notifications.perHour])]
              .sort((a, b) => a - b)
              .map((n) => ({ value: String(n), label: text.timesAnHour(n) }))}
            onChoose={(perHour) => notify({ perHour: Number(perHour) })}
          />
        )}
      </FormLine>
      <FormLine label={words.queue.pace}>
        {() => (
          <CheckLine
            checked={settings.shareTimes}
            onChange={(shareTimes) => save({ shareTimes })}
            label={words.queue.shareTimes}
            help={words.queue.shareTimesHelp}
          />
        )}
      </FormLine>
      <FormLine label={text.power}>
        {() => (
          <CheckLine
            checked={settings.keepAwake}
            onChange={(keepAwake) => save({ keepAwake })}
            label={text.keepAwake}
            help={text.keepAwakeHelp}
          />
        )}
      </FormLine>
    </>
  );
}
