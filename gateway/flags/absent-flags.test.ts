import { describe, expect, it } from 'vitest';
import { absentFlags, withReason } from './absent-flags.ts';
import { runCommandLine } from '../commands/command-line.ts';
import { problem } from './given-flags.fixture.ts';
import { SERVE_SETTINGS } from './serve-settings.ts';

const ETCD = 'there is no etcd; the log lies in --data-dir, or where --log says';
const ABSENT = 'is a flag of kube-apiserver that does not exist here';

async function said(...argv: string[]): Promise<string> {
  let text = '';
  const fail = () => Promise.reject(new Error('nothing is to run'));
  const printError = (more: string): void => void (text += more);
  await runCommandLine(argv, { serve: fail, verify: fail, print: () => undefined, printError });
  return text;
}

describe('flags of kube-apiserver that are not here', () => {
  it('say why, and what to say in their place', async () => {
    const sentence = `--etcd-servers ${ABSENT}: ${ETCD}`;
    expect(problem(['--etcd-servers=http://127.0.0.1:2379'])).toBe(sentence);
    expect(problem(['--etcd-servers', 'http://127.0.0.1:2379'])).toBe(sentence);
    expect(await said('serve', '--etcd-servers=http://a')).toBe(`error: ${sentence}\n`);
    expect(problem(['--event-ttl=1h'])).toContain(`--event-ttl ${ABSENT}: events do not`);
  });

  it('are told apart from flags that kube-apiserver does not have either', async () => {
    expect(await said('serve', '--nonesuch')).toBe("error: unknown option '--nonesuch'\n");
    expect(withReason("error: unknown option '--constructor'")).not.toContain(ABSENT);
  });

  it('are none that are here', () => {
    const here = new Set(SERVE_SETTINGS.map(({ flag }) => flag));
    expect(absentFlags().filter((flag) => here.has(flag))).toEqual([]);
    expect(new Set(absentFlags()).size).toBe(absentFlags().length);
  });

  it('are the only ones that kubeadm or envtest give and are refused', () => {
    const given = [
      ...['advertise-address', 'allow-privileged', 'authorization-mode', 'client-ca-file'],
      ...['enable-admission-plugins', 'enable-bootstrap-token-auth', 'etcd-cafile'],
      ...['etcd-certfile', 'etcd-keyfile', 'etcd-servers', 'kubelet-client-certificate'],
      ...['kubelet-client-key', 'kubelet-preferred-address-types', 'proxy-client-cert-file'],
      ...['proxy-client-key-file', 'requestheader-allowed-names', 'requestheader-client-ca-file'],
      ...['requestheader-extra-headers-prefix', 'requestheader-group-headers'],
      ...['requestheader-username-headers', 'secure-port', 'service-account-issuer'],
      ...['service-account-key-file', 'service-account-signing-key-file'],
      ...['service-cluster-ip-range', 'tls-cert-file', 'tls-private-key-file', 'cert-dir'],
      ...['disable-admission-plugins', 'bind-address'],
    ];
    const here = new Set(SERVE_SETTINGS.map(({ flag }) => flag));
    const unknown = given.filter((flag) => !here.has(flag) && !absentFlags().includes(flag));
    expect(unknown).toEqual([]);
  });
});
