import type { HostFacts, HostReport } from '@shared/contract/computers';
import { Icon } from '../../components/Icon';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';

/** What the last test found the host to be, and what it lacks. */
export function HostFactsView({ report }: { report: HostReport | null }) {
  const words = useText();
  const text = words.computers;
  const facts = report?.facts ?? null;
  return (
    <>
      <section aria-label={text.facts} className="host-section">
        <h4>{text.facts}</h4>
        {facts === null ? (
          <p className="quiet text-12">{report === null ? text.noFacts : text.noFactsThen}</p>
        ) : (
          <dl className="host-facts">
            {factLines(facts, words).map(({ name, value, wide }) => (
              <div key={name} className={wide === true ? 'host-fact-wide' : ''}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      {report !== null && (facts !== null || report.limits.length > 0) && (
        <section aria-label={text.limits} className="host-section">
          <h4>{text.limits}</h4>
          {report.limits.length === 0 ? (
            <p className="quiet text-12">{text.noLimits}</p>
          ) : (
            <ul className="host-limits">
              {report.limits.map((limit) => (
                <li key={limit}>
                  <Icon name="warning" className="tone-attention" />
                  <span>{limit}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}

function factLines(facts: HostFacts, words: Text): { name: string; value: string; wide?: boolean }[] {
  const text = words.computers;
  const { format } = words.common;
  const megabytes = (mb: number | null) =>
    mb === null ? words.common.unknown : format.bytes(mb * 1024 ** 2);
  const gpus =
    facts.gpus.length === 0
      ? text.noGpus
      : facts.gpus
          .map(
            (gpu) =>
              `${gpu.index}: ${text.gpu(gpu.name, megabytes(gpu.memoryMb), megabytes(gpu.usedMb), gpu.utilization)}`,
          )
          .join('\n');
  const offset = Math.abs(facts.clockOffsetMs);
  return [
    { name: text.fact.hostname, value: facts.hostname },
    { name: text.fact.user, value: facts.user },
    { name: text.fact.system, value: facts.platform },
    { name: text.fact.cpus, value: format.count(facts.cpus) },
    { name: text.fact.memory, value: format.bytes(facts.memoryBytes) },
    { name: text.fact.helper, value: text.helperPrograms(facts.helper, facts.supervisor) },
    { name: text.fact.bash, value: facts.bashVersion },
    {
      name: text.fact.clock,
      value:
        offset < 1000 ? text.clockSame : text.clockOffset(format.duration(offset), facts.clockOffsetMs > 0),
    },
    {
      name: text.fact.disk,
      value: text.diskFree(format.bytes(facts.freeBytes), format.bytes(facts.totalBytes), facts.fileSystem),
      wide: true,
    },
    { name: text.fact.sessions, value: facts.sessionsDir, wide: true },
    { name: text.fact.gpus, value: gpus, wide: true },
  ];
}
