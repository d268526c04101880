import type { StageView } from '@shared/computers';
import type { IconName } from '../../components/Icon';
import { Icon } from '../../components/Icon';
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
  stages: readonly StageView[];
  running: boolean;
}

/** Stages of a connection in order, those of jump hosts named; a failed one says what to do about it. */
export function StageList({ stages, running }: StageListProps) {
  const words = useText();
  const text = words.computers;
  return (
    <ol className="stages" aria-busy={running} aria-live="polite" data-testid="stages">
      {stages.map((stage) => {
        const tone = tones[stage.state];
        const name = stage.via === null ? text.stage(stage.stage) : text.stageVia(stage.stage, stage.via);
        return (
          <li
            key={`${stage.via ?? ''}/${stage.stage}`}
            className="stage-row"
            data-stage={stage.stage}
            data-via={stage.via ?? undefined}
            data-state={stage.state}
          >
            <span className={tone}>
              <Icon name={icons[stage.state]} />
            </span>
            <span className="medium cut" title={name}>
              {name}
            </span>
            <span className={`stage-word ${tone}`}>{text.stageState(stage.state)}</span>
            <span className={`stage-message ${stage.state === 'failed' ? '' : 'soft'}`}>{stage.message}</span>
            <span className="quiet tabular stage-ms">
              {stage.ms === null ? '' : words.common.format.duration(Math.max(1, Math.round(stage.ms)))}
            </span>
            {stage.state === 'failed' && (
              <p className="stage-help">
                <b>{text.whatNext}</b> {text.stageHelp(stage.stage)}
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}
