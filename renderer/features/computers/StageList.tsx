import type { StageView } from '@shared/contract/computers';
import { Fragment } from 'react';
import type { IconName } from '../../components/Icon';
import { Icon } from '../../components/Icon';
import { shortSpan } from '../../text/health-words';
import { useText } from '../../text/language';

const icons: Record<StageView['state'], IconName> = {
  waiting: 'minus',
  running: 'working',
  ok: 'check',
  failed: 'close',
  skipped: 'minus',
  warning: 'warning',
};
const tones: Record<StageView['state'], string> = {
  waiting: 'quiet',
  running: '',
  ok: '',
  failed: 'tone-danger',
  skipped: 'quiet',
  warning: 'tone-attention',
};

export interface StageListProps {
  alias: string;
  stages: readonly StageView[];
  running: boolean;
}

/** Stages of a connection in order, under the host they belong to; a failed one says what to do about it. */
export function StageList({ alias, stages, running }: StageListProps) {
  const text = useText().computers;
  const hops = groupsOf(stages);
  return (
    <ol className="stages" aria-busy={running} aria-live="polite" data-testid="stages">
      {hops.map(({ via, stages: own }) => (
        <Fragment key={via ?? ''}>
          {hops.length > 1 && (
            <li className="stage-hop">
              <b>{via ?? alias}</b>
              {via !== null && <span className="quiet">{text.jumpHost}</span>}
            </li>
          )}
          {own.map((stage) => (
            <StageRow key={stage.stage} stage={stage} />
          ))}
        </Fragment>
      ))}
    </ol>
  );
}

/** Neighbours of one host together: the hosts of a chain in the order they are passed. */
function groupsOf(stages: readonly StageView[]): { via: string | null; stages: StageView[] }[] {
  const groups: { via: string | null; stages: StageView[] }[] = [];
  for (const stage of stages) {
    const known = groups.find(({ via }) => via === stage.via);
    if (known === undefined) groups.push({ via: stage.via, stages: [stage] });
    else known.stages.push(stage);
  }
  return groups;
}

function StageRow({ stage }: { stage: StageView }) {
  const words = useText();
  const text = words.computers;
  const tone = tones[stage.state];
  return (
    <li
      className="stage-row"
      data-stage={stage.stage}
      data-via={stage.via ?? undefined}
      data-state={stage.state}
    >
      <span className={tone}>
        <Icon name={icons[stage.state]} />
      </span>
      <span className="medium">{text.stage(stage.stage)}</span>
      <span className={`stage-word ${tone}`}>{text.stageState(stage.state)}</span>
      <span className={`stage-message ${stage.state === 'failed' ? '' : 'soft'}`}>{stage.message}</span>
      <span className="quiet tabular stage-ms">{stage.ms === null ? '' : shortSpan(stage.ms, words)}</span>
      {stage.state === 'failed' && (
        <p className="stage-help">
          <b>{text.whatNext}</b> {text.stageHelp(stage.stage)}
        </p>
      )}
    </li>
  );
}
