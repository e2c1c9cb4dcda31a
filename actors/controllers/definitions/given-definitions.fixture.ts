/** For tests of the controllers of definitions: a control plane with them, and short words for both. */
import { vi } from 'vitest';
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';
import { objectsAt } from '../../../api/kinds/rules/value-validation.ts';
import { type CrdControllers, startCrdControllers } from './crd-controllers.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const WIDGETS = 'example.com/widgets';

const running: CrdControllers[] = [];

/** After each test. */
export async function stopCrdControllers(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.stop()));
}

export interface Names {
  readonly kind?: string;
  readonly shortNames?: readonly string[];
  readonly singular?: string;
}

export function definition(plural: string, names: Names = {}, group = 'example.com') {
  const kind = names.kind ?? `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.${group}` } as JsonObject,
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, ...(names as JsonObject), kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }] as JsonObject[],
    },
  };
}

/** A conversion whose webhook has a certificate bundle that cannot be read. */
export function unreadableBundle(): JsonObject {
  const service = { namespace: 'default', name: 'hook' };
  const clientConfig = { service, caBundle: Buffer.from('no certificate').toString('base64') };
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
}

/** A control plane with the controllers of CRDs, and nothing yet that serves what they define. */
export async function givenDefinitions(
  instances: (loopback: Loopback) => Loopback = (loopback) => loopback,
) {
  const plane = await givenControlPlane();
  const faults: unknown[] = [];
  const start = async () => {
    const controllers = startCrdControllers({
      loopback: instances(plane.loopback),
      listen: plane.listen.bind(plane),
      objects: plane.objects,
      committer: plane.context.committer,
      reserved: plane.served.storages(),
      clock: plane.clock,
      faults: { record: (what, error) => plane.context.faults.record(what, faults.push(error)) },
    });
    running.push(controllers);
    await controllers.ready;
    return controllers;
  };
  const seen = async (name: string): Promise<KubeObject> =>
    (await plane.get(`${CRDS}/${name}`)).object;
  const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
    await vi.waitUntil(isSo, { timeout: 120_000, interval: 1 });
  };
  /** Waits until the definition says so, as `kubectl wait` does. */
  const says = (name: string, type: string, status: string): Promise<JsonObject> =>
    vi.waitUntil<JsonObject | undefined>(
      async () => {
        const found = conditionOf(await seen(name), type);
        return found?.['status'] === status ? found : undefined;
      },
      { timeout: 120_000, interval: 1 },
    ); // It has waited until there is one.
  return { ...plane, start, seen, says, until, faults };
}

export function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return objectsAt(objectAt(object, 'status'), 'conditions').find((one) => one['type'] === type);
}

export function shown(object: KubeObject) {
  return objectsAt(objectAt(object, 'status'), 'conditions').map(
    ({ type, status, reason, message }) => [type, status, reason, message],
  );
}
