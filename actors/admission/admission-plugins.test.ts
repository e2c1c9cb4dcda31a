import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { DEFAULT_PLUGIN_NAMES, PLUGIN_NAMES } from './plugin-names.ts';
import { alwaysAdmit, alwaysDeny } from './plugins/always.ts';
import {
  ADMISSION_PLUGINS,
  pluginsOf,
  servedPlugins,
  type PluginRows,
} from './admission-plugins.ts';

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

const DOCUMENT = new URL('../../ARCHITECTURE.md', import.meta.url);

/** `- `mutate`: NamespaceAutoProvision\\*, NamespaceLifecycle`, without its line breaks. */
function described(phase: string): string | undefined {
  const text = readFileSync(DOCUMENT, 'utf8').replaceAll(/\n {2}/g, ' ');
  const line = text.split('\n').find((one) => one.startsWith(`- \`${phase}\`: `));
  return line?.slice(line.indexOf(': ') + 2).replaceAll('\\', '');
}

it.each([
  ['mutate', 'mutates'],
  ['validate', 'validates'],
])('ARCHITECTURE.md lists the plug-ins of %s in their order', (phase, does) => {
  const names = ADMISSION_PLUGINS.filter(([, phases]) => phases.split(' and ').includes(does)).map(
    ([name]) => (DEFAULT_PLUGIN_NAMES.has(name) ? name : `${name}*`),
  );
  expect(described(phase)).toBe(names.join(', '));
});

it('is an array that the compiler refuses in another order, or with phases that a plug-in has not', () => {
  type Two = readonly ['AlwaysAdmit', 'AlwaysDeny'];
  const idle = ['AlwaysAdmit', 'nothing to do', alwaysAdmit] as const;
  const deny = ['AlwaysDeny', 'mutates and validates', alwaysDeny] as const;
  const right: PluginRows<Two> = [idle, deny];
  // @ts-expect-error AlwaysDeny is asked last.
  const disordered: PluginRows<Two> = [deny, idle];
  // @ts-expect-error AlwaysDeny validates, too.
  const incomplete: PluginRows<Two> = [idle, ['AlwaysDeny', 'mutates', alwaysDeny]];
  expect([right, disordered, incomplete].map((rows) => rows.length)).toEqual([2, 2, 2]);
});

it('asks in every server, around all others, for the rights that no flag switches off', async () => {
  let names: readonly string[] = [];
  await givenControlPlane({
    plugins(world) {
      const none = { isOn: () => false, configurations: new Map() };
      names = servedPlugins(world, none).map(({ name }) => name);
      return [];
    },
  });
  const inFront = ['PodCertificateSigning', 'ParameterRights', 'DeviceRights'];
  expect(names).toEqual([...inFront, 'RBACEscalation']);
});
