import type { StepDetail, StepHead } from '@shared/contract/views';
import type { FileEvidence, GpuEvidence, StepEvidence } from '@shared/labels/evidence';
import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon';
import { useEvidence } from '../../state/run/detail';
import { isImported, useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { openFile } from '../files/file-history';
import { StepLink } from '../labels/StepLinks';

export interface EvidenceProps {
  run: string;
  step: number;
  head: StepHead;
  detail: StepDetail | undefined;
}

/** Facts around the step, each with the way to the steps it rests on. What is not known reads "?". */
export function Evidence({ run, step, head, detail }: EvidenceProps) {
  const text = useText();
  const words = text.detail;
  const { format } = text.common;
  const evidence = useEvidence(run, step);
  const gpus = useRuns((state) =>
    (state.list.find(({ id }) => id === run)?.computers ?? []).some((each) => (each.gpus ?? 0) > 0),
  );
  const imported = useRuns((state) => state.list.some((each) => each.id === run && isImported(each)));
  const tied = tiedSteps(detail).filter((other) => other !== step);
  return (
    <section className="evidence" aria-label={words.evidence} data-testid="evidence">
      {evidence?.files.slice(0, 2).map((file) => (
        <Sight
          key={`${file.computer}:${file.path}`}
          run={run}
          step={step}
          file={file}
          since={evidence.since}
        />
      ))}
      {evidence !== null && evidence.files.length + evidence.moreFiles > 2 && (
        <span>{words.moreFiles(evidence.files.length + evidence.moreFiles - 2)}</span>
      )}
      {tied.length > 0 && (
        <Fact name={words.tied}>
          {tied.slice(0, 8).map((other) => (
            <StepLink key={other} step={other} />
          ))}
          {tied.length > 8 && <span>{words.andMore(tied.length - 8)}</span>}
        </Fact>
      )}
      {evidence?.next != null && <Then next={evidence.next} />}
      {evidence !== null && (
        <Fact name={words.scoreNow}>
          {evidence.score.last === null
            ? words.noScore
            : words.scoreOf(format.score(evidence.score.last), format.score(evidence.score.best))}
        </Fact>
      )}
      {evidence?.gpus.map((each) => (
        <Gpu key={each.computer} gpu={each} />
      ))}
      {evidence !== null && evidence.gpus.length === 0 && gpus && (
        <span title={words.gpuUnknown}>
          <Fact name={words.gpu}>{words.unknown}</Fact>
        </span>
      )}
      {evidence !== null && !(imported && (evidence.workingMs ?? 0) === 0) && (
        <Fact name={words.worked}>
          {evidence.workingMs === null ? words.unknown : format.duration(evidence.workingMs)}
        </Fact>
      )}
      {head.guards.length > 0 && (
        <span className="tone-attention" title={head.guards.join(', ')}>
          {words.guardCount(head.guards.length)}
        </span>
      )}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="tabular">
      <span className="quiet">{name}</span>
      {children}
    </span>
  );
}

/** Whether the file had been seen: a mark, a word, and the steps that say so. */
function Sight({ run, step, file, since }: { run: string; step: number; file: FileEvidence; since: number }) {
  const words = useText().detail;
  const blind = file.sight === 'stale' || file.sight === 'never';
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const note = file.sight === 'unknown' ? words.sightUnknown(step - since) : file.path;
  return (
    <>
      <span className={blind ? 'tone-danger' : ''} title={note} data-sight={file.sight}>
        <Icon
          name={
            blind ? 'close' : file.sight === 'seen' ? 'check' : file.sight === 'new' ? 'plus' : 'question'
          }
          small
        />
        {words.sight(file.sight)}
        <button
          type="button"
          className="link step-link mono-12"
          onClick={() => openFile(run, step, file, null)}
        >
          {name}
        </button>
      </span>
      {file.lookedAt !== null && (
        <Fact name={words.lastLook}>
          <StepLink step={file.lookedAt} />
          <span>{words.stepsBefore(step - file.lookedAt)}</span>
        </Fact>
      )}
      {file.changes > 0 && (
        <Fact name={words.changedBy}>
          {file.changes > file.changedBy.length && (
            <span>{words.andMore(file.changes - file.changedBy.length)}</span>
          )}
          {file.changedBy.map((other) => (
            <StepLink key={other} step={other} />
          ))}
        </Fact>
      )}
    </>
  );
}

function Then({ next }: { next: NonNullable<StepEvidence['next']> }) {
  const words = useText().detail;
  const bad = !next.ok || (next.exitCode !== null && next.exitCode !== 0);
  return (
    <Fact name={words.afterwards}>
      <StepLink step={next.step} />
      <span className={bad ? 'tone-danger' : ''}>
        {next.exitCode !== null
          ? words.exitCode(next.exitCode)
          : next.ok
            ? next.tool || words.noAction
            : words.failed(next.errorCode ?? next.tool)}
      </span>
    </Fact>
  );
}

function Gpu({ gpu }: { gpu: GpuEvidence }) {
  const words = useText().detail;
  const busy = gpu.gpus.filter((each) => each.utilization > 0).length;
  const each = gpu.gpus.map(
    ({ index, utilization, memoryUsedMb }) => `${index}: ${utilization} %, ${memoryUsedMb} MB`,
  );
  return (
    <span title={each.join('\n')}>
      <Fact name={words.gpuOn(gpu.computer)}>
        {words.gpuState(gpu.state)}
        {gpu.gpus.length > 0 && <span>{words.gpuBusy(busy, gpu.gpus.length)}</span>}
        <span className="quiet">{words.asOf}</span>
        <StepLink step={gpu.step} />
      </Fact>
    </span>
  );
}

/** Other steps that rules and judges name about this one. */
function tiedSteps(detail: StepDetail | undefined): number[] {
  if (detail === undefined) return [];
  const { rules, judges } = detail.labels;
  return [...new Set([...rules, ...judges].flatMap(({ steps }) => steps))].sort((a, b) => a - b);
}
