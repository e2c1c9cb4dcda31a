/**
 * Command lines that were written for kube-apiserver start the server as they are: kubeadm's static pod and
 * certificates, made by its own code; kind's additions to it; what k3s and local-up-cluster.sh give; and
 * envtest, which starts the program itself.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { run, startCommand } from '../support/command.ts';
import { freePorts } from '../support/free-port.ts';
import { at, parseJson } from '../support/json.ts';
import { needs } from '../support/requirements.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { announced } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-manifests-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const LINK = join(folder, 'kube-apiserver');
symlinkSync(SERVER_PROGRAM, LINK);

const [kubectl, kubeadm, envtest] = [
  await needs('kubectl'),
  await needs('kubeadm'),
  await needs('envtest-start'),
];

interface Cluster {
  readonly pki: string;
  readonly port: number;
  /** Of the static pod, without the program's name. */
  readonly args: readonly string[];
}

/** What kubeadm writes for a control plane at a free port. */
async function clusterOf(program: string): Promise<Cluster> {
  const [port = 0] = await freePorts(1);
  const { code, stdout, stderr } = await run(program, [folder, String(port)]);
  expect(code, stderr).toBe(0);
  const line = stdout.split('\n').find((one) => one.startsWith('["kube-apiserver"')) ?? '[]';
  const [, ...args] = parseJson(line) as string[];
  return { pki: join(folder, 'pki'), port, args };
}

/** The command line of kubeadm and, behind it, the only flag that kind 0.31 adds. */
function kind({ args }: Cluster): string[] {
  return [...args, '--runtime-config='];
}

/** What k3s 1.36 gives, on one server with an external datastore. */
function k3s({ pki, port }: Cluster): string[] {
  const egress = join(folder, 'egress.yaml');
  writeFileSync(
    egress,
    'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\n' +
      'egressSelections:\n- name: cluster\n  connection:\n    proxyProtocol: Direct\n',
  );
  return [
    ...['--advertise-address=127.0.0.1', `--advertise-port=${String(port)}`],
    ...['--allow-privileged=true', '--anonymous-auth=false', '--authorization-mode=Node,RBAC'],
    '--api-audiences=https://kubernetes.default.svc.cluster.local,k3s',
    ...['--bind-address=127.0.0.1', `--cert-dir=${join(folder, 'temporary-certs')}`],
    ...[`--client-ca-file=${pki}/ca.crt`, `--egress-selector-config-file=${egress}`],
    ...['--enable-admission-plugins=NodeRestriction', '--enable-aggregator-routing=true'],
    ...['--enable-bootstrap-token-auth=true', '--etcd-servers=unix://kine.sock'],
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
    `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
    ...['--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname', '--profiling=false'],
    `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
    `--proxy-client-key-file=${pki}/front-proxy-client.key`,
    ...['--requestheader-allowed-names=system:auth-proxy'],
    `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
    ...['--requestheader-extra-headers-prefix=X-Remote-Extra-'],
    ...['--requestheader-group-headers=X-Remote-Group'],
    ...['--requestheader-username-headers=X-Remote-User', `--secure-port=${String(port)}`],
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    ...[`--service-account-key-file=${pki}/sa.key`],
    `--service-account-signing-key-file=${pki}/sa.key`,
    ...['--service-cluster-ip-range=10.43.0.0/16', '--service-node-port-range=30000-32767'],
    ...['--storage-backend=etcd3', `--tls-cert-file=${pki}/apiserver.crt`],
    '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
    `--tls-private-key-file=${pki}/apiserver.key`,
  ];
}

/** What hack/local-up-cluster.sh of 1.36 gives, with its defaults. */
function localUp({ pki, port }: Cluster): string[] {
  const policy = join(folder, 'audit-policy.yaml');
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n');
  return [
    ...['--authorization-mode=Node,RBAC', '--allow-privileged=true', '--v=3', '--vmodule='],
    ...[`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`],
    ...[`--cert-dir=${join(folder, 'kubernetes')}`, '--egress-selector-config-file='],
    `--client-ca-file=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
    ...['--kubelet-port=10250', '--kubelet-read-only-port=10255'],
    ...[`--service-account-key-file=${pki}/sa.key`, '--service-account-lookup=true'],
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-account-jwks-uri=https://kubernetes.default.svc/openid/v1/jwks',
    `--service-account-signing-key-file=${pki}/sa.key`,
    '--enable-admission-plugins=NamespaceLifecycle,LimitRanger,ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,Priority,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ResourceQuota,NodeRestriction',
    ...['--disable-admission-plugins=', '--admission-control-config-file='],
    ...['--bind-address=127.0.0.1', `--secure-port=${String(port)}`],
    ...[`--tls-cert-file=${pki}/apiserver.crt`, `--tls-private-key-file=${pki}/apiserver.key`],
    ...['--storage-backend=etcd3', '--storage-media-type=application/vnd.kubernetes.protobuf'],
    ...['--etcd-servers=http://127.0.0.1:2379', '--service-cluster-ip-range=10.0.0.0/24'],
    ...['--feature-gates=AllAlpha=false', '--emulated-version=', '--external-hostname=localhost'],
    ...['--requestheader-username-headers=X-Remote-User'],
    ...['--requestheader-group-headers=X-Remote-Group'],
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
    '--requestheader-allowed-names=system:auth-proxy',
    `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
    `--proxy-client-key-file=${pki}/front-proxy-client.key`,
    '--cors-allowed-origins=//127.0.0.1(:[0-9]+)?$,//localhost(:[0-9]+)?$',
  ];
}

describe.skipIf(kubectl === undefined || kubeadm === undefined)('the command line', () => {
  it.each([
    ['kind', kind, []],
    ['k3s', k3s, []],
    ['local-up-cluster', localUp, ['kubelet-port', 'kubelet-read-only-port']],
  ])('of %s starts the server, and kubectl works', async (name, argsOf, deprecated) => {
    const cluster = await clusterOf(kubeadm ?? '');
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const running = startCommand(process.execPath, [LINK, ...argsOf(cluster)], { cwd });
    try {
      await announced(running);
      const said = running.stderr();
      expect(
        said.match(/without effect: [^"]*--etcd-servers[^"]*: there is no etcd/g),
      ).toHaveLength(1);
      const told = [...said.matchAll(/^Flag --([a-z-]+) has been deprecated, /gm)];
      expect(told.map(([, flag]) => flag).sort()).toEqual(deprecated);
      const server = `--server=https://127.0.0.1:${String(cluster.port)}`;
      const admin = [`--kubeconfig=${join(folder, 'super-admin.conf')}`, server];
      const made = await run(kubectl ?? '', [...admin, 'create', 'namespace', name]);
      expect(made.stdout, made.stderr).toBe(`namespace/${name} created\n`);
      const ready = await run(kubectl ?? '', [...admin, 'get', '--raw', '/readyz']);
      expect(ready.stdout).toBe('ok');
    } finally {
      running.kill('SIGTERM');
    }
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain('MaxListenersExceededWarning');
  });
});

describe.skipIf(envtest === undefined)('envtest', () => {
  it('starts the program with its certificates and arguments', async () => {
    const program = join(folder, 'bin', 'kube-apiserver');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${LINK}' "$@"\n`);
    chmodSync(program, 0o755);
    const { stdout, stderr } = await run(envtest ?? '', [program], { cwd: join(folder, 'bin') });
    expect(at(parseJson(stdout), 'failures'), stderr).toEqual([]);
  });
});
