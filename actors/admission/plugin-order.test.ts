import { expect, it } from 'vitest';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { DEFAULT_PLUGIN_NAMES, PLUGIN_NAMES } from './plugin-names.ts';
import { pluginsOf } from './plugin-order.ts';

/** What two of them cannot do without. */
const CONFIGURATIONS = new Map([
  [
    'EventRateLimit',
    {
      kind: 'Configuration',
      apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
      limits: [{ type: 'Server', qps: 1, burst: 1 }],
    },
  ],
  ['ImagePolicyWebhook', { imagePolicy: { kubeConfigFile: 'images.yaml' } }],
]);

it('asks the plug-ins in the order that Kubernetes has', async () => {
  let names: readonly string[] = [];
  await givenControlPlane({
    plugins(world) {
      const configurations = new Map(
        [...CONFIGURATIONS].map(([name, content]) => [name, { content, file: 'admission.yaml' }]),
      );
      names = pluginsOf(world, { isOn: () => true, configurations }).map(({ name }) => name);
      return [];
    },
  });
  expect(names).toEqual(PLUGIN_NAMES);
  expect(PLUGIN_NAMES).toHaveLength(41);
  expect(DEFAULT_PLUGIN_NAMES.size).toBe(27);
});
