/**
 * Which secrets a pod may use, where its service account holds it to those that it lists itself.
 *
 * In Kubernetes: limitSecretReferences, plugin/pkg/admission/serviceaccount.
 */
import { isAmong } from '../../../../api/json/among.ts';
import type { PodSpec } from '../../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../../api/json/go-values.ts';
import {
  type AnyContainer,
  type ContainerList,
  containersOf,
} from '../../../../api/kinds/pod-spec/pod-parts.ts';

/** A service account and what its pods may use. */
export interface Mountable {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly pullSecrets: readonly string[];
}

const SHOWN: Readonly<Record<ContainerList, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
};

/** @returns what is wrong, in upstream's words; undefined: nothing. */
export function secretProblem(
  spec: PodSpec,
  account: Mountable,
  what: 'pod' | 'ephemeral',
): string | undefined {
  if (what === 'ephemeral') return containersProblem(spec, account, 'ephemeralContainers');
  return (
    volumesProblem(spec, account) ??
    containersProblem(spec, account, 'initContainers') ??
    containersProblem(spec, account, 'containers') ??
    pullProblem(spec, account)
  );
}

function volumesProblem(spec: PodSpec, account: Mountable): string | undefined {
  for (const { secret: source } of items(spec.volumes)) {
    if (source === undefined) continue;
    const { secretName: secret = '' } = source;
    if (!isAmong(account.secrets, secret)) return refusal('volume with', secret, account);
  }
  return undefined;
}

function containersProblem(
  spec: PodSpec,
  account: Mountable,
  list: ContainerList,
): string | undefined {
  for (const container of containersOf(spec, [list])) {
    const problem = containerProblem(container, account, SHOWN[list]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function containerProblem(
  { name: container, env, envFrom }: AnyContainer,
  account: Mountable,
  shown: string,
): string | undefined {
  const what = `${shown} ${container} with`;
  for (const { name, valueFrom } of items(env)) {
    const secret = nameIn(valueFrom?.secretKeyRef);
    if (secret === undefined || isAmong(account.secrets, secret)) continue;
    return refusal(`${what} envVar ${name} referencing`, secret, account);
  }
  for (const source of items(envFrom)) {
    const secret = nameIn(source.secretRef);
    if (secret === undefined || isAmong(account.secrets, secret)) continue;
    return refusal(`${what} envFrom referencing`, secret, account);
  }
  return undefined;
}

function pullProblem(spec: PodSpec, account: Mountable): string | undefined {
  const names = items(spec.imagePullSecrets).map(({ name = '' }) => name);
  const index = names.findIndex((name) => !account.pullSecrets.includes(name));
  if (index < 0) return undefined;
  const what = `imagePullSecrets[${String(index)}].name="${names[index] ?? ''}"`;
  const why = `service account ${account.name} does not reference that imagePullSecret`;
  return `${what} is not allowed because ${why}`;
}

function refusal(what: string, secret: string, account: Mountable): string {
  const why = `service account ${account.name} does not reference that secret`;
  return `${what} secret.secretName="${secret}" is not allowed because ${why}`;
}

function nameIn(reference: { name?: string } | undefined): string | undefined {
  return reference === undefined ? undefined : (reference.name ?? '');
}
