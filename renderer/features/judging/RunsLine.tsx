import { CheckLine, FormLine, Select } from '../../components/Field';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import type { JudgedScope } from './judging';

interface RunsLineProps {
  scope: JudgedScope;
  chosen: readonly string[];
  onChoose: (choice: { scope: JudgedScope; chosen: readonly string[] }) => void;
}

/** Of which runs steps are judged. */
export function RunsLine({ scope, chosen, onChoose }: RunsLineProps) {
  const text = useText();
  const words = text.judging;
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const open = list.find(({ id }) => id === current);
  return (
    <FormLine label={words.runs}>
      {({ id }) => (
        <div>
          <Select<JudgedScope>
            id={id}
            data-autofocus
            value={scope}
            options={[
              ...(open === undefined ? [] : [{ value: 'this' as const, label: words.thisRun(open.title) }]),
              { value: 'all', label: words.allRuns(text.common.format.count(list.length), list.length) },
              { value: 'some', label: words.someRuns(chosen.length) },
            ]}
            onChoose={(next) => {
              // Whoever begins to select had the open run in mind.
              const first = chosen.length === 0 && current !== null ? [current] : chosen;
              onChoose({ scope: next, chosen: next === 'some' ? first : chosen });
            }}
          />
          {scope === 'some' && (
            <fieldset className="judge-runs" aria-label={words.runs}>
              {list.map((run) => (
                <CheckLine
                  key={run.id}
                  checked={chosen.includes(run.id)}
                  label={run.title}
                  help={text.common.steps(run.steps)}
                  onChange={(on) =>
                    onChoose({
                      scope,
                      chosen: on ? [...chosen, run.id] : chosen.filter((other) => other !== run.id),
                    })
                  }
                />
              ))}
            </fieldset>
          )}
        </div>
      )}
    </FormLine>
  );
}
