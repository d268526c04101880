import type { TaskRow } from '@shared/contract/ipc/application';
import { FormLine, Select } from '../../components/Field';
import { useText } from '../../text/language';

type Mode = Exclude<TaskRow['taskHint'], 'none'>;
/** `task`: as the task says. */
export type TaskHintChosen = Mode | 'task';

export interface TaskHintChoiceProps {
  /** What the task says. */
  task: Mode;
  chosen: TaskHintChosen;
  onChosen: (chosen: TaskHintChosen) => void;
}

/** Whether the agent gets the hint of the task: the one thing in which two arms of a comparison may differ. */
export function TaskHintChoice({ task, chosen, onChosen }: TaskHintChoiceProps) {
  const text = useText().newRun;
  const modes: readonly Mode[] = ['off', 'tool', 'upfront'];
  return (
    <FormLine label={text.taskHint} help={text.taskHintHelp}>
      {({ id, describedBy }) => (
        <Select
          id={id}
          aria-describedby={describedBy}
          value={chosen}
          options={[
            { value: 'task', label: text.taskHintDefault(text.taskHintModes[task]) },
            ...modes.map((mode) => ({ value: mode, label: text.taskHintModes[mode] })),
          ]}
          onChoose={(value) => onChosen([...modes, 'task' as const].find((mode) => mode === value) ?? 'task')}
        />
      )}
    </FormLine>
  );
}
