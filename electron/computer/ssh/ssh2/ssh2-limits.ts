import { existsSync } from 'node:fs';
import type { ResolvedHost } from '../config/resolved-host';
import { type ConfigLine, originOf } from '../config/ssh-config';
import { knownAlgorithms } from './ssh2-algorithms';

/**
 * What a host's configuration asks for that ssh2 cannot do, by name. Only what was asked for counts: the defaults of a
 * distribution (GSSAPI on Debian) do not send everybody to the other client; if nothing else logs in, the failure names it.
 */
export async function ssh2Limits(host: ResolvedHost, lines: readonly ConfigLine[]): Promise<string[]> {
  const { raw } = host;
  const needs: string[] = [];
  const own = lines.filter(({ file }) => !file.startsWith('/etc/'));
  const facts = { alias: host.target.alias, hostName: host.hostName, user: host.user };
  const asked = (keyword: string) => raw.yes(keyword) && originOf(own, keyword, facts, saysYes) !== null;
  const certificate = host.certificateFiles[0];
  if (certificate !== undefined) needs.push(`certificates (CertificateFile ${certificate})`);
  needs.push(...(await identityLimits(host)));
  const provider = raw.get('pkcs11provider');
  if (provider !== undefined) needs.push(`PKCS#11 (PKCS11Provider ${provider})`);
  if (asked('gssapiauthentication')) needs.push('GSSAPI (GSSAPIAuthentication yes)');
  if (asked('hostbasedauthentication')) needs.push('host-based login (HostbasedAuthentication yes)');
  const methods = host.authentications.filter((method) => possible.has(method));
  if (methods.length === 0)
    needs.push(`login by ${host.authentications.join(', ') || 'none of the methods'}`);
  const command = raw.get('knownhostscommand');
  if (command !== undefined) needs.push(`KnownHostsCommand ${command}`);
  // A list of keys that must not be trusted, whatever known hosts say.
  const revoked = raw.get('revokedhostkeys');
  if (revoked !== undefined) needs.push(`RevokedHostKeys ${revoked}`);
  if (raw.yes('proxyusefdpass')) needs.push('ProxyUseFdpass yes');
  const device = raw.get('bindinterface');
  if (device !== undefined) needs.push(`BindInterface ${device}`);
  for (const [keyword, { name, supported }] of Object.entries(knownAlgorithms)) {
    const wanted = raw.list(keyword);
    if (wanted.length > 0 && !wanted.some((algorithm) => supported.includes(algorithm)))
      needs.push(`${name} ${wanted.join(',')}`);
  }
  return needs;
}

const possible = new Set(['publickey', 'password', 'keyboard-interactive']);

function saysYes(args: readonly string[]): boolean {
  return ['yes', 'true'].includes((args[0] ?? '').toLowerCase());
}

/** Named key files of which none can be used count; ssh's usual names, which are only tried, do not. */
async function identityLimits(host: ResolvedHost): Promise<string[]> {
  if (!host.identitiesConfigured) return [];
  // Brings ssh2 with it, which a start without such a host does not load.
  const { beyondSsh2, readIdentity } = await import('../login/identity');
  const limits: string[] = [];
  let usable = false;
  for (const file of host.identityFiles) {
    const certificate = `${file}-cert.pub`;
    if (existsSync(certificate)) {
      limits.push(`certificates (${certificate})`);
      continue;
    }
    const identity = await readIdentity(file);
    if ('problem' in identity) continue;
    const need = beyondSsh2(identity.type);
    if (need === null) usable = true;
    else limits.push(`${need} (${file})`);
  }
  return usable ? [] : limits;
}
