import { HostKeyAlarmSheet } from './HostKeyAlarmSheet';
import { useHostPrompts } from './host-prompts';
import './prompts.css';
import { SecretSheet } from './SecretSheet';
import { UnknownKeySheet } from './UnknownKeySheet';

/** The first of what hosts ask a person; the others wait their turn. */
export function HostPromptSheets() {
  const prompts = useHostPrompts((state) => state.prompts);
  const first = prompts[0];
  if (first === undefined) return null;
  const shared = { prompt: first, total: prompts.length };
  switch (first.kind) {
    case 'password':
    case 'passphrase':
    case 'keyboard':
      return <SecretSheet key={first.id} {...shared} />;
    case 'unknown_host_key':
      return <UnknownKeySheet key={first.id} {...shared} />;
    case 'host_key_alarm':
      return <HostKeyAlarmSheet key={first.id} {...shared} />;
  }
}
