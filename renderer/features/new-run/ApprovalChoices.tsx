import { CheckLine } from '../../components/Field';
import { useText } from '../../text/language';
import { approvalsFor, type Choices, defaultApprovals, type TaskComputer } from './places';

export interface ApprovalChoicesProps {
  computers: readonly TaskComputer[];
  choices: Choices;
  onApprovals: (name: string, approvals: 'on' | 'off') => void;
}

/** Whether people are asked before risky commands, per computer; the default and its reason stand beside it. */
export function ApprovalChoices({ computers, choices, onApprovals }: ApprovalChoicesProps) {
  const text = useText().newRun;
  return (
    <div>
      {computers.map((computer) => {
        const byDefault = defaultApprovals(computer, choices);
        const reason =
          byDefault === 'on'
            ? text.askedByDefault
            : computer.dedicated
              ? text.dedicatedDefault
              : text.taskDefault;
        return (
          <CheckLine
            key={computer.name}
            checked={approvalsFor(computer, choices) === 'on'}
            onChange={(on) => onApprovals(computer.name, on ? 'on' : 'off')}
            label={computers.length === 1 ? text.approvalsOn : text.approvalsOnComputer(computer.name)}
            help={reason}
          />
        );
      })}
      <p className="form-help">{text.approvalsHelp}</p>
    </div>
  );
}
