import type { DatasetView } from '@shared/contract/export-views';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';

/** Whether a dataset's files are as its manifest says; only trouble is coloured. */
export function DatasetState({ state }: Pick<DatasetView, 'state'>) {
  const text = useText().datasets;
  return (
    <span className={`dataset-state ${state === 'there' ? 'quiet' : 'tone-attention'}`} data-state={state}>
      <Icon name={state === 'there' ? 'check' : state === 'missing' ? 'unlinked' : 'warning'} small />
      {text.state[state]}
    </span>
  );
}

/** The last part of a folder's path, of this or another system. */
export function folderName(folder: string): string {
  return folder.split(/[/\\]/).findLast((part) => part !== '') ?? folder;
}
