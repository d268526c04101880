import type { PickedFolder } from '@shared/contract/ipc/runs';
import { call } from '../../api';
import { Button, IconButton } from '../../components/Button';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';

export interface ShownFoldersProps {
  folders: readonly PickedFolder[];
  onFolders: (folders: readonly PickedFolder[]) => void;
}

/** Folders of this computer that the sandbox shows besides the run's own; each is chosen in the system's dialog. */
export function ShownFolders({ folders, onFolders }: ShownFoldersProps) {
  const text = useText().newRun;
  const add = (write: boolean) =>
    attempt(async () => {
      const picked = await call('runs.pickFolder', { write });
      if (picked !== null) onFolders([...folders.filter(({ path }) => path !== picked.path), picked]);
    });
  return (
    <div className="form-line">
      <span className="form-label">{text.folders}</span>
      <div>
        {folders.length > 0 && (
          <ul className="shown-folders" aria-label={text.folders}>
            {folders.map(({ id, path, write }) => (
              <li key={id}>
                <span className="mono-12 cut" title={path}>
                  {path}
                </span>
                <span className={write ? 'chip tone-attention' : 'chip'}>
                  {write ? text.folderWrite : text.folderRead}
                </span>
                <IconButton
                  icon="close"
                  label={text.folderRemove(path)}
                  onClick={() => onFolders(folders.filter((each) => each.id !== id))}
                />
              </li>
            ))}
          </ul>
        )}
        <div className="row">
          <Button small icon="folder" onClick={() => add(false)}>
            {text.folderAddRead}
          </Button>
          <Button small icon="folder" onClick={() => add(true)}>
            {text.folderAddWrite}
          </Button>
        </div>
        <p className="form-help">{text.foldersHelp}</p>
      </div>
    </div>
  );
}
