import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { TextField } from '../../components/Field';
import { useNewest } from '../../state/answers';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';

/** The papers' tasks; a row becomes a task package to fill in. */
export function CatalogueList({ onClose }: { onClose: () => void }) {
  const words = useText();
  const text = words.newRun;
  const rows = useNewest('catalogue.list', undefined)?.value ?? [];
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const shown = rows.filter((row) =>
    `${row.paper} ${row.title} ${row.domain}`.toLowerCase().includes(wanted),
  );
  const create = (key: string) =>
    attempt(async () => {
      const made = await call('catalogue.create', { key });
      if (made !== null) toast((now) => now.newRun.created(made.folder));
    });
  return (
    <Dialog title={text.catalogue} closeLabel={words.common.close} onClose={onClose} width="wide">
      <TextField
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onChange={(e) => setFilter(e.target.value)}
      />
      <table className="catalogue">
        <thead>
          <tr>
            <th scope="col">{text.paper}</th>
            <th scope="col">{text.task}</th>
            <th scope="col">{text.domain}</th>
            <th scope="col">{text.hours}</th>
            <th scope="col">{text.gpus}</th>
            <th scope="col">{text.web}</th>
            <th scope="col">
              <span className="hidden-visually">{text.create}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.key}>
              <td className="quiet">{`${row.paper} ${row.number}`}</td>
              <td title={row.summary}>{row.title}</td>
              <td className="quiet">{row.domain}</td>
              <td className="tabular">{row.hours ?? words.common.unknown}</td>
              <td>{row.gpus ?? words.common.unknown}</td>
              <td>{row.web === null ? words.common.unknown : row.web ? text.yes : text.no}</td>
              <td>
                <Button small onClick={() => create(row.key)}>
                  {text.create}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
