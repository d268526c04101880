import type { Endpoint } from '@shared/contract/settings';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { saveSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { EndpointForm } from './EndpointForm';
import { KeyKeepingPanel } from './KeyKeepingPanel';

const prices = ['input', 'cached', 'output'] as const;

/** Named OpenAI-compatible endpoints: one row each, one open for editing. */
export function EndpointList({ endpoints }: { endpoints: Endpoint[] }) {
  const words = useText();
  const text = words.settings;
  const { format } = words.common;
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const save = (next: Endpoint[]) =>
    attempt(async () => {
      await saveSettings({ endpoints: next });
      setOpen(null);
    });
  if (open !== null) {
    const at = open === 'new' ? endpoints.length : open;
    return (
      <EndpointForm
        endpoint={endpoints[at] ?? null}
        taken={endpoints.filter((_, index) => index !== at).map((each) => each.name)}
        onCancel={() => setOpen(null)}
        onSave={(endpoint) => save([...endpoints.slice(0, at), endpoint, ...endpoints.slice(at + 1)])}
      />
    );
  }
  return (
    <>
      {endpoints.length === 0 ? (
        <Empty icon="key" title={text.noEndpoint} text={text.noEndpointText} />
      ) : (
        <table className="endpoints">
          <thead>
            <tr>
              <th scope="col">{text.fields.name}</th>
              <th scope="col">{text.fields.model}</th>
              <th scope="col" className="endpoint-price">
                {text.priceIn}
              </th>
              <th scope="col" className="endpoint-price">
                {text.priceCached}
              </th>
              <th scope="col" className="endpoint-price">
                {text.priceOut}
              </th>
              <td />
            </tr>
          </thead>
          <tbody>
            {endpoints.map((endpoint, index) => (
              <tr key={endpoint.name}>
                <th scope="row">{endpoint.name}</th>
                <td>
                  <div className="mono-12 cut">{endpoint.model}</div>
                  <div className="mono-11 quiet cut" title={endpoint.baseUrl}>
                    {endpoint.baseUrl}
                  </div>
                </td>
                {prices.map((kind) => (
                  <td key={kind} className="endpoint-price tabular">
                    {endpoint.price === null ? words.common.unknown : format.money(endpoint.price[kind])}
                  </td>
                ))}
                <td>
                  <Button small onClick={() => setOpen(index)}>
                    {text.edit}
                  </Button>
                  <Button
                    small
                    look="ghost"
                    onClick={() => save(endpoints.filter((_, other) => other !== index))}
                  >
                    {words.common.remove}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row">
        <Button icon="plus" onClick={() => setOpen('new')}>
          {text.addEndpoint}
        </Button>
        <span className="space" />
        {endpoints.length > 0 && <span className="text-12 quiet">{text.perMillion}</span>}
      </div>
      <KeyKeepingPanel />
    </>
  );
}
