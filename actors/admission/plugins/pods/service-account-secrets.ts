/**
 * Which secrets a pod may use, where its service account holds it to those that it lists itself.
 *
 * In Kubernetes: limitSecretReferences, plugin/pkg/admission/serviceaccount.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { objectsAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { ContainerList } from '../../../../api/kinds/pod-spec/pod-parts.ts';

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
  spec: JsonObject,
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

function volumesProblem(spec: JsonObject, account: Mountable): string | undefined {
  for (const volume of objectsAt(spec, 'volumes')) {
    const source = objectAt(volume, 'secret');
    if (source === undefined) continue;
    const secret = stringAt(source, 'secretName');
    if (!account.secrets.includes(secret)) return refusal('volume with', secret, account);
  }
  return undefined;
}

function containersProblem(
  spec: JsonObject,
  account: Mountable,
  list: ContainerList,
): string | undefined {
  for (const container of objectsAt(spec, list)) {
    const problem = containerProblem(container, account, SHOWN[list]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function containerProblem(
  container: JsonObject,
  account: Mountable,
  shown: string,
): string | undefined {
  const who = `${shown} ${stringAt(container, 'name')} with`;
  for (const variable of objectsAt(container, 'env')) {
    const secret = nameAt(objectAt(variable, 'valueFrom'), 'secretKeyRef');
    if (secret === undefined || account.secrets.includes(secret)) continue;
    return refusal(`${who} envVar ${stringAt(variable, 'name')} referencing`, secret, account);
  }
  for (const source of objectsAt(container, 'envFrom')) {
    const secret = nameAt(source, 'secretRef');
    if (secret === undefined || account.secrets.includes(secret)) continue;
    return refusal(`${who} envFrom referencing`, secret, account);
  }
  return undefined;
}

function pullProblem(spec: JsonObject, account: Mountable): string | undefined {
  const names = objectsAt(spec, 'imagePullSecrets').map((one) => stringAt(one, 'name'));
  const index = names.findIndex((name) => !account.pullSecrets.includes(name));
  if (index < 0) return undefined;
  const who = `imagePullSecrets[${String(index)}].name="${names[index] ?? ''}"`;
  const why = `service account ${account.name} does not reference that imagePullSecret`;
  return `${who} is not allowed because ${why}`;
}

function refusal(who: string, secret: string, account: Mountable): string {
  const why = `service account ${account.name} does not reference that secret`;
  return `${who} secret.secretName="${secret}" is not allowed because ${why}`;
}

function nameAt(parent: JsonObject | undefined, key: string): string | undefined {
  const reference = objectAt(parent, key);
  return reference === undefined ? undefined : stringAt(reference, 'name');
}
