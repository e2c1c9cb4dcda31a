import { expect, it } from 'vitest';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import type { AdmissionPlace } from './admission-attributes.ts';
import type { AdmissionPlugin } from './admission-plugin.ts';
import { DEFAULT_SELECTION, pluginsOf } from './admission-plugins.ts';
import { firstOf, stepFor, type AttributesOf, type KindStep } from './kind-steps.ts';
import type { Pod } from '../../api/generated/kinds/core-v1.ts';

const nothing = () => undefined;

async function givenPlaces() {
  let plugins: readonly AdmissionPlugin[] = [];
  const { served } = await givenControlPlane({
    plugins(world) {
      plugins = pluginsOf(world, DEFAULT_SELECTION);
      return [];
    },
  });
  const place = (resource: string, more: Partial<AdmissionPlace> = {}): AdmissionPlace => {
    const [plural = '', apiVersion = 'v1', apiGroup = ''] = resource.split('/').reverse();
    const found = served.lookup({ apiGroup, apiVersion, resource: plural });
    if (found === undefined) throw new Error(`no ${resource}`);
    return { served: found, operation: 'CREATE', subresource: '', ...more };
  };
  return { plugins, place };
}

it('is asked about its kinds, operations and subresources, and about nothing else', async () => {
  const { place } = await givenPlaces();
  const stepAt = stepFor(['v1/pods', 'v1/pods/resize'], ['CREATE', 'UPDATE'], nothing);
  const asked = [
    place('v1/pods'),
    place('v1/pods', { operation: 'UPDATE' }),
    place('v1/pods', { operation: 'UPDATE', subresource: 'resize' }),
  ];
  const others = [
    place('v1/pods', { operation: 'DELETE' }),
    place('v1/pods', { subresource: 'status' }),
    place('v1/configmaps'),
  ];
  expect(asked.map((one) => stepAt(one) !== undefined)).toEqual([true, true, true]);
  expect(others.map(stepAt)).toEqual([undefined, undefined, undefined]);
});

it('is the first of several that has something to do', async () => {
  const { place } = await givenPlaces();
  const [one, other] = [() => undefined, () => undefined];
  const stepAt = firstOf(
    stepFor('v1/pods', ['UPDATE'], one),
    stepFor('v1/pods', ['CREATE'], other),
  );
  expect(stepAt(place('v1/pods'))).toBe(other);
});

it('is for the version that is stored, whichever is served', async () => {
  const { place } = await givenPlaces();
  const autoscalers = 'autoscaling/v1/horizontalpodautoscalers';
  const stored = stepFor('autoscaling/v2/horizontalpodautoscalers', ['CREATE'], nothing);
  expect(stored(place(autoscalers))).toBe(nothing);
  const other = stepFor(autoscalers, ['CREATE'], nothing);
  expect(() => other(place(autoscalers))).toThrow('is stored as v2, not v1');
});

it('sees the types that its operations have, and no field that there is not', () => {
  const created: KindStep<Pod, 'CREATE'> = ({ object, oldObject }) => {
    // @ts-expect-error The field is spelt containers.
    expect(object.spec.contianers).toBeUndefined();
    return oldObject;
  };
  const deleted: KindStep<Pod, 'DELETE'> = ({ object }) => {
    // @ts-expect-error A delete has no new object.
    expect(object.spec).toBeUndefined();
    return object;
  };
  const updated = (of: AttributesOf<Pod, 'UPDATE'>): string => of.oldObject.spec.nodeName ?? '';
  expect([created, deleted, updated]).toHaveLength(3);
});

/** The names of the plug-ins that a write there calls, of those that are on by default. */
it.each([
  [
    'v1/configmaps',
    'CREATE',
    [
      'NamespaceLifecycle',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
      'ResourceQuota',
    ],
  ],
  [
    'v1/configmaps',
    'DELETE',
    [
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
    ],
  ],
] as const)(
  'a write of %s by %s calls no plug-in for other kinds',
  async (path, operation, names) => {
    const { plugins, place } = await givenPlaces();
    const at = place(path, { operation });
    const called = plugins.filter((one) => one.mutatesAt?.(at) ?? one.validatesAt?.(at));
    expect(called.map(({ name }) => name)).toEqual(names);
    expect(plugins.length).toBeGreaterThan(25);
  },
);
