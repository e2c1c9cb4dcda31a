/** For tests of admission: a definition of two versions, between which a webhook converts. */
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { ControlPlane } from '../registry/given-registry.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAME = 'tabs.example.com';
const NAMES = { plural: 'tabs', singular: 'tab', kind: 'Tab', listKind: 'TabList' };

/** Where tabs are asked for in the version that is not stored. */
export const TABS2 = '/apis/example.com/v2/namespaces/default/tabs';

/** A tab as that version has it. */
export const TAB: JsonObject = {
  kind: 'Tab',
  apiVersion: 'example.com/v2',
  metadata: { name: 'a' },
  spec: { width: 3 },
};

function version(name: string, field: string): JsonObject {
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema } };
}

/** v2 calls `width` what is `size` in v1. */
function renamed(objects: JsonObject[]): JsonObject {
  const convertedObjects = objects.map((one) => {
    const isV1 = one['apiVersion'] === 'example.com/v1';
    const { size, width } = objectAt(one, 'spec') ?? {};
    const spec = isV1 ? { width: size } : { size: width };
    return { ...one, apiVersion: `example.com/${isV1 ? 'v2' : 'v1'}`, spec };
  });
  return { result: { status: 'Success' }, convertedObjects };
}

/** Defines the tabs in this plane, and lets its webhooks convert them. */
export async function makeTabs(
  plane: Pick<ControlPlane, 'post' | 'put' | 'webhooks'>,
): Promise<void> {
  const clientConfig = { url: 'https://webhook.example.com/convert' };
  const webhook = { conversionReviewVersions: ['v1'], clientConfig };
  const versions = [version('v1', 'size'), version('v2', 'width')];
  const conversion = { strategy: 'Webhook', webhook };
  const made = await plane.post(CRDS, {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: NAME },
    spec: { group: 'example.com', scope: 'Namespaced', names: NAMES, versions, conversion },
  });
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({
    ...{ type, status: 'True', reason: 'Given', message: '' },
    lastTransitionTime: '2026-11-21T09:00:00Z',
  }));
  const status = { acceptedNames: NAMES, storedVersions: ['v1'], conditions };
  const told = await plane.put(`${CRDS}/${NAME}/status`, { ...made.object, status });
  if (told.code !== 200) throw new Error(told.message);
  plane.webhooks.answer = renamed;
}
