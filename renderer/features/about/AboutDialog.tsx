import { call } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { FactList } from '../../components/FactList';
import { useSettings } from '../../state/settings';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';

export interface AboutDialogProps {
  onClose: () => void;
}

/** Version, runtime and what they mean; diagnostics for a report. */
export function AboutDialog({ onClose }: AboutDialogProps) {
  const words = useText();
  const text = words.about;
  const app = useSettings((state) => state.app);
  if (app === null) return null;
  const { electron, chrome, node, sqlite } = app.runtime;
  const facts: [string, string][] = [
    [text.version, app.version],
    [text.electron, electron],
    [text.chrome, chrome],
    [text.node, node],
    [text.sqlite, sqlite],
    [text.platform, app.platform],
  ];
  const save = () =>
    attempt(async () => {
      const { path } = await call('app.saveDiagnostics');
      if (path !== null) toast((now) => now.frame.diagnosticsSaved(path));
    });
  return (
    <Dialog title={text.title} closeLabel={words.common.close} onClose={onClose} width="small">
      <FactList facts={facts} mono />
      {app.testRuntime && <p className="tone-attention text-12">{text.testRuntime}</p>}
      <p className="text-12 quiet">{text.licence}</p>
      <Button onClick={save}>{text.diagnostics}</Button>
    </Dialog>
  );
}
