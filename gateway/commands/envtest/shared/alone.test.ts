import { expect, it } from 'vitest';
import { whyAlone } from './alone.ts';

/** As envtest of controller-runtime gives them. */
const ENVTEST = [
  ...['--advertise-address=127.0.0.1', '--allow-privileged=true', '--authorization-mode=RBAC'],
  ...['--bind-address=127.0.0.1', '--cert-dir=/srv/k8s', '--client-ca-file=/srv/k8s/ca.crt'],
  ...['--disable-admission-plugins=ServiceAccount', '--etcd-servers=http://127.0.0.1:1'],
  ...['--secure-port=2', '--service-account-issuer=https://127.0.0.1:2/'],
  ...['--service-account-key-file=/srv/k8s/sa.crt', '--service-cluster-ip-range=10.0.0.0/24'],
  '--service-account-signing-key-file=/srv/k8s/sa.key',
];

it('lets suites share a process', () => {
  expect(whyAlone(ENVTEST)).toBeUndefined();
  const more = ['--feature-gates=A=true', '--audit-log-path=/srv/audit', '--audit-policy-file=/p'];
  expect(whyAlone([...ENVTEST, ...more, '--profiling=false', '-v=4'])).toBeUndefined();
  expect(whyAlone([...ENVTEST, '--audit-log-path', '/srv/audit'])).toBeUndefined();
});

it.each([
  ['--audit-log-path=-', 'standard output'],
  ['--audit-log-path=audit.log', 'is not absolute'],
  ['--tls-sni-cert-key=/a.crt,b.key:name', 'is not absolute'],
  ['--service-account-key-file=/a,b', 'is not absolute'],
  ['--config=/etc/settings.yaml', 'may say anything'],
  ['--profiling', 'other control planes'],
  ['--profiling=true', 'other control planes'],
  ['--debug-socket-path=/srv/s', 'other control planes'],
  ['--authorization-webhook-config-file=/k', 'environment'],
  ['--tracing-config-file=/t', 'those of the process'],
  ['--workers=2', 'processes of one server'],
])('%s wants one alone', (flag, why) => {
  expect(whyAlone([...ENVTEST, flag])).toContain(why);
  const [name = '', value = ''] = flag.split('=');
  if (value !== '') expect(whyAlone([...ENVTEST, name, value])).toContain(why);
});
