import type { HostResolution } from '@shared/contract/computers';
import { ColumnHeads } from '../../components/ColumnHeads';
import { Icon } from '../../components/Icon';
import type { Asked } from '../../state/answers';
import { failureDetails } from '../../state/toasts';
import { useText } from '../../text/language';
import { CopyDetails } from '../panes/CopyDetails';

/** Where a name leads and which line of which file says so. */
export function ResolutionView({ state }: { state: Asked<HostResolution> }) {
  const words = useText();
  const text = words.computers;
  const { value, failure } = state;
  if (failure !== null) {
    return (
      <div className="resolution-failure" role="alert">
        <Icon name="warning" className="tone-danger" />
        <span>{failure.message}</span>
        <CopyDetails details={failureDetails(failure)} />
      </div>
    );
  }
  if (value === null) return <p className="quiet text-12">{text.resolving}</p>;
  return (
    <>
      <p className="resolution-line">
        <code className="mono-12">{`${value.user}@${value.hostName}:${value.port}`}</code>
        {value.jumps.length > 0 && <span className="soft">{text.through(value.jumps.join(' → '))}</span>}
        {value.proxyCommand !== null && <span className="soft">{text.byCommand(value.proxyCommand)}</span>}
      </p>
      {value.settings.length > 0 && (
        <table className="resolution">
          <caption className="quiet">{text.resolutionHelp}</caption>
          <ColumnHeads heads={[text.setting, text.value, text.from]} />
          <tbody>
            {value.settings.map((setting, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a name may stand twice (IdentityFile), and the list never changes
              <tr key={index}>
                <th scope="row">{setting.name}</th>
                <td className="mono-12">{setting.value}</td>
                <td className={setting.from === null ? 'quiet' : 'mono-12'}>
                  {setting.from ?? text.byDefault}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
