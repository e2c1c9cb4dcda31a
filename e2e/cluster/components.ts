/** What a cluster has beside its server: kube-controller-manager, kube-scheduler and KWOK. */
import { join } from 'node:path';

import { type ComponentFiles, kubeconfigOf, startComponent } from '../control-plane/component.ts';
import type { RunningCommand } from '../support/command.ts';
import type { Kubectl } from '../support/kubectl.ts';
import type { RunningServer } from '../support/server.ts';
import { startKwok } from './kwok.ts';

export interface ClusterPrograms {
  readonly kubectl: string;
  readonly controllers: string;
  readonly scheduler: string;
  readonly kwok: string;
}

/** Further flags of the components. */
export interface ComponentFlags {
  readonly controllers?: readonly string[];
  readonly scheduler?: readonly string[];
}

/** A node is given up after this time without a heartbeat; KWOK's come every two seconds. */
const GRACE = '24s';
/** Long enough that a leader which waits for a slow machine stays the leader. */
const ELECTION = ['--leader-elect-lease-duration=120s', '--leader-elect-renew-deadline=100s'];

/** Flags of the server, which kube-apiserver has as well. */
export function flagsForComponents(files: ComponentFiles): string[] {
  return [
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--enable-bootstrap-token-auth=true',
    `--token-auth-file=${files.tokens}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    `--service-account-key-file=${files.serviceAccountKey}`,
  ];
}

/** In the order of their names in {@link ClusterPrograms}; each ends by `kill`. @throws where one does not start; none runs then. */
export async function startComponents(
  programs: ClusterPrograms,
  files: ComponentFiles,
  kubectl: Kubectl,
  server: Pick<RunningServer, 'kubeconfig' | 'dataDir'>,
  flags: ComponentFlags = {},
): Promise<RunningCommand[]> {
  const pki = join(server.dataDir, 'pki');
  const manager = kubeconfigOf(files, server, 'system:kube-controller-manager');
  const scheduler = kubeconfigOf(files, server, 'system:kube-scheduler');
  const running = [
    await startComponent(programs.controllers, manager, [
      `--service-account-private-key-file=${files.serviceAccountKey}`,
      `--root-ca-file=${join(pki, 'ca.crt')}`,
      `--cluster-signing-cert-file=${join(pki, 'ca.crt')}`,
      `--cluster-signing-key-file=${join(pki, 'ca.key')}`,
      '--use-service-account-credentials=true',
      '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
      ...ELECTION,
      '--kube-api-qps=200',
      '--kube-api-burst=400',
      '--node-monitor-period=1s',
      `--node-monitor-grace-period=${GRACE}`,
      '--pvclaimbinder-sync-period=1s',
      '--horizontal-pod-autoscaler-sync-period=1s',
      ...(flags.controllers ?? []),
    ]),
    await startComponent(programs.scheduler, scheduler, [...ELECTION, ...(flags.scheduler ?? [])]),
  ];
  try {
    const kubeconfig = kubeconfigOf(files, server, 'kwok-controller');
    return [...running, await startKwok(programs.kwok, kubectl, kubeconfig)];
  } catch (cause) {
    for (const one of running) one.kill();
    throw cause;
  }
}
