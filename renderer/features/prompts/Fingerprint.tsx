import { Fragment } from 'react';

/**
 * `SHA256:…` in groups of four, so that eyes can compare; the text itself has no spaces, so that a copy of it is the
 * fingerprint.
 */
export function Fingerprint({ sha256 }: { sha256: string }) {
  const at = sha256.indexOf(':') + 1;
  const groups = sha256.slice(at).match(/.{1,4}/gu) ?? [];
  return (
    <code className="fingerprint" data-fingerprint={sha256}>
      <span className="fingerprint-kind">{sha256.slice(0, at)}</span>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no identity and never change
        <Fragment key={index}>
          <wbr />
          <span>{group}</span>
        </Fragment>
      ))}
    </code>
  );
}
