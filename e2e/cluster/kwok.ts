/**
 * KWOK beside a server: nodes that keep their heartbeats, pods that run and end, claims that get
 * volumes, all of it objects only. It runs with stage files and roles of its own module.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run, type RunningCommand, startCommand } from '../support/command.ts';
import { goModule } from '../support/go-module.ts';
import type { JsonObject } from '../support/json.ts';
import type { Kubectl } from '../support/kubectl.ts';

/** Nodes with this label are KWOK's; any other is a node without a kubelet. */
export const KWOK_LABEL = 'kwok';
/** Its user, bound to the roles that KWOK's own manifests describe. */
const USER = 'kwok-controller';
const ROLES = ['rbac/role.yaml', 'stage/volume/rbac/role.yaml'];
/**
 * Pods of Jobs end as `general` has it, which an annotation can delay; the others of `fast` wait for
 * nothing. `chaos` is for objects that ask for it with a label.
 */
const STAGES = [
  'node/fast/node-initialize.yaml',
  'node/chaos/node-not-ready.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-delete.yaml',
  'pod/general/pod-complete.yaml',
  'pod/chaos/pod-container-running-failed.yaml',
  ...['pvc-provision', 'pvc-delete', 'pv-bind', 'pv-delete'].map(
    (name) => `volume/fast/${name}.yaml`,
  ),
];
const LEASE_SECONDS = 8;

export interface KwokWishes {
  /** Files that say what its kubelets measure. */
  readonly metrics?: readonly string[];
  readonly flags?: readonly string[];
}

/** Its roles and its storage class are created first. Ends by `kill`. */
export async function startKwok(
  program: string,
  kubectl: Kubectl,
  kubeconfig: string,
  { metrics = [], flags = [] }: KwokWishes = {},
): Promise<RunningCommand> {
  const folder = join(await goModule(await kwokModule()), 'kustomize');
  for (const role of ROLES) await kubectl.words(['create', '-f', join(folder, role)]);
  for (const role of ['kwok-controller', 'kwok-volume'])
    await kubectl(`create clusterrolebinding ${role} --clusterrole=${role} --user=${USER}`);
  await kubectl.words(['create', '-f', join(folder, 'stage/volume/fast/storage-class.yaml')]);
  const home = mkdtempSync(join(tmpdir(), 'everwatch-kwok-'));
  const running = startCommand(
    program,
    [
      `--kubeconfig=${kubeconfig}`,
      `--manage-nodes-with-label-selector=${KWOK_LABEL}=true`,
      `--node-lease-duration-seconds=${String(LEASE_SECONDS)}`,
      ...STAGES.map((stage) => `--config=${join(folder, 'stage', stage)}`),
      ...metrics.map((file) => `--config=${join(folder, 'metrics', file)}`),
      ...flags,
    ],
    { env: { ...process.env, HOME: home } },
  );
  void running.ended.then(() => {
    rmSync(home, { recursive: true, force: true });
  });
  return running;
}

/** Of the version in go.mod. */
async function kwokModule(): Promise<string> {
  const args = ['list', '-m', '-f', '{{.Path}}@{{.Version}}', 'sigs.k8s.io/kwok'];
  const cwd = join(import.meta.dirname, '../go-kwok');
  const { code, stdout, stderr } = await run('go', args, { cwd });
  if (code !== 0) throw new Error(`go list failed: ${stderr.trim()}`);
  return stdout.trim();
}

export interface NodeWishes {
  readonly labels?: JsonObject;
  readonly taints?: JsonObject[];
  readonly allocatable?: JsonObject;
  /** Default: by KWOK. Else only its object is there. */
  readonly isManaged?: boolean;
}

/** A manifest with its capacity, which a create of a node keeps: kubelets register in this way. */
export function nodeObject(name: string, wishes: NodeWishes = {}): JsonObject {
  const { labels = {}, taints, isManaged = true } = wishes;
  const resources = { cpu: '16', memory: '64Gi', pods: '110', ...wishes.allocatable };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        ...(isManaged ? { [KWOK_LABEL]: 'true' } : {}),
        ...labels,
      },
    },
    ...(taints === undefined ? {} : { spec: { taints } }),
    status: { allocatable: resources, capacity: resources },
  };
}
