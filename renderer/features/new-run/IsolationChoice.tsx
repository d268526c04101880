import { CheckLine } from '../../components/Field';
import { useText } from '../../text/language';

export interface IsolationChoiceProps {
  /** Whether the task gives the network to all that runs here. */
  internet: boolean;
  isolation: 'sandbox' | 'none';
  onIsolation: (isolation: 'sandbox' | 'none') => void;
}

/** Whether what the agent runs on this computer is kept apart from the rest of it, and what either means. */
export function IsolationChoice({ internet, isolation, onIsolation }: IsolationChoiceProps) {
  const text = useText().newRun;
  return (
    <div className="form-line">
      <span className="form-label">{text.isolation}</span>
      <div>
        <CheckLine
          checked={isolation === 'sandbox'}
          onChange={(apart) => onIsolation(apart ? 'sandbox' : 'none')}
          label={text.isolationOn}
        />
        <p className="form-help">{isolation === 'none' ? text.isolationOff : text.isolationHelp(internet)}</p>
      </div>
    </div>
  );
}
