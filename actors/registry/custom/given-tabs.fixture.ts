/** For tests of custom resources: a definition of two versions, and a control plane that serves it. */
import { expect } from 'vitest';

import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { givenControlPlane, type ControlPlane } from '../given-registry.fixture.ts';

/** Where definitions are. */
export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Of the definition. */
export const NAME = 'tabs.example.com';
/** Where the custom resource is, in its stored version. */
export const TABS = '/apis/example.com/v1/namespaces/default/tabs';
/** The same in the other version. */
export const TABS2 = '/apis/example.com/v2/namespaces/default/tabs';
/** Where its objects lie in the log. */
export const STORAGE = 'example.com/tabs';

const names = { plural: 'tabs', singular: 'tab', kind: 'Tab', listKind: 'TabList' };

/** A version of the definition, with what is in `spec`. */
export function version(name: string, properties: JsonObject, more: JsonObject = {}): JsonObject {
  const spec = { type: 'object', properties };
  const status = { type: 'object', properties: { ready: { type: 'boolean' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec, status } };
  return { name, served: true, storage: false, schema: { openAPIV3Schema }, ...more };
}

/** The version that is stored. */
export const V1 = version(
  'v1',
  { size: { type: 'integer', maximum: 9, default: 1 }, color: { type: 'string' } },
  { storage: true, subresources: { status: {} }, selectableFields: [{ jsonPath: '.spec.color' }] },
);
/** The other one, with another field. */
export const V2 = version('v2', { size: { type: 'integer' }, width: { type: 'integer' } });

/** A definition of tabs. */
export function definition(versions: JsonObject[] = [V1, V2], spec: JsonObject = {}): JsonObject {
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: NAME },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions, ...spec },
  };
}

const condition = (type: string): JsonObject => ({
  ...{ type, status: 'True', reason: 'Given', message: '' },
  lastTransitionTime: '2026-11-21T09:00:00Z',
});

/** What the controllers of definitions do. */
export async function establish(plane: ControlPlane, ...more: string[]): Promise<void> {
  const { object } = await plane.get(`${CRDS}/${NAME}`);
  const conditions = ['NamesAccepted', 'Established', ...more].map(condition);
  const status = { acceptedNames: names, storedVersions: ['v1'], conditions };
  const told = await plane.put(`${CRDS}/${NAME}/status`, { ...object, status });
  expect(told.code, told.message).toBe(200);
}

/** A control plane with the definition, which is established. */
export async function given(made = definition()): Promise<ControlPlane> {
  const plane = await givenControlPlane();
  const told = await plane.post(CRDS, made);
  expect(told.code, told.message).toBe(201);
  await establish(plane);
  return plane;
}

/** Changes what the definition says now. */
export async function changeDefinition(
  plane: ControlPlane,
  change: (spec: JsonObject) => void,
): Promise<void> {
  const { object } = await plane.get(`${CRDS}/${NAME}`);
  change(objectAt(object, 'spec') ?? {});
  const told = await plane.put(`${CRDS}/${NAME}`, object);
  expect(told.code, told.message).toBe(200);
}

/** An object of the kind. */
export const tab = (name: string, spec: JsonObject, apiVersion = 'example.com/v1'): JsonObject => ({
  ...{ kind: 'Tab', apiVersion, metadata: { name } },
  spec,
});

/** The object as it lies in the log; empty where there is none. */
export const stored = ({ objects }: ControlPlane, name: string): JsonObject => {
  const found = objects.get(STORAGE, `default/${name}`);
  return found === undefined ? {} : parsedObject(found);
};

/** How a definition says that a webhook converts. */
export const WEBHOOK = {
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: ['v1'],
    clientConfig: { url: 'https://webhook.example.com/convert' },
  },
};

/** v2 calls `width` what is `size` in v1. */
export function renamed(objects: JsonObject[]): JsonObject {
  const convertedObjects = objects.map((one) => {
    const isV1 = one['apiVersion'] === 'example.com/v1';
    const { size, width, ...rest } = objectAt(one, 'spec') ?? {};
    const spec = isV1 ? { ...rest, width: size } : { ...rest, size: width };
    return { ...one, apiVersion: `example.com/${isV1 ? 'v2' : 'v1'}`, spec };
  });
  return { result: { status: 'Success' }, convertedObjects };
}
