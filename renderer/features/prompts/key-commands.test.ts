import { describe, expect, it } from 'vitest';
import { fingerprintCommand, forgetCommand, keyTypeName } from './key-commands';

describe('commands for host keys', () => {
  it('print the fingerprint of the kind of key that was offered', () => {
    expect(fingerprintCommand('ssh-ed25519')).toBe('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
    expect(fingerprintCommand('ecdsa-sha2-nistp256')).toContain('ssh_host_ecdsa_key');
    expect(fingerprintCommand('rsa-sha2-512')).toContain('ssh_host_rsa_key');
  });

  it.each([
    ['g@gpu-03.example:22', 'gpu-03.example'],
    ['g@10.0.0.3:2222', "'[10.0.0.3]:2222'"],
    ['g@[2001:db8::1]:22', '2001:db8::1'],
    ['g@2001:db8::1:2222', "'[2001:db8::1]:2222'"],
    ['odd@name@host:22', 'host'],
    ["g@x';touch y:22", "'x'\\'';touch y'"],
  ])('forget the key of %s', (target, name) => {
    expect(forgetCommand(target, '/home/g/.ssh/known_hosts')).toBe(
      `ssh-keygen -f /home/g/.ssh/known_hosts -R ${name}`,
    );
  });

  it('quote a file with a space', () => {
    expect(forgetCommand('g@h:22', '/home/g h/known_hosts')).toBe(
      "ssh-keygen -f '/home/g h/known_hosts' -R h",
    );
  });
});

it('names key types as people say them', () => {
  const types = ['ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256', 'sk-ssh-ed25519@openssh.com'];
  expect(types.map(keyTypeName)).toEqual(['ed25519', 'RSA', 'ECDSA 256', 'sk-ssh-ed25519@openssh.com']);
});
