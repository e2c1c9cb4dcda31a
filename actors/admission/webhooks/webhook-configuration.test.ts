import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';
import { DEFAULT_SELECTION, pluginsOf } from '../admission-plugins.ts';
import { webhookKubeconfigIn } from './webhook-configuration.ts';

const VERSION = 'apiserver.config.k8s.io/v1';
const GATE_IS_OFF =
  'staticManifestsDir: Forbidden: staticManifestsDir requires the ' +
  'ManifestBasedAdmissionControlConfig feature gate to be enabled';

function read(more: JsonObject): string {
  const content = { apiVersion: VERSION, kind: 'WebhookAdmissionConfiguration', ...more };
  return webhookKubeconfigIn('ValidatingAdmissionWebhook', { content, file: 'f.yaml' });
}

describe('a WebhookAdmissionConfiguration', () => {
  it('names a kubeconfig file, or none', () => {
    expect(webhookKubeconfigIn('ValidatingAdmissionWebhook', undefined)).toBe('');
    expect(read({})).toBe('');
    expect(read({ kubeConfigFile: '/etc/hooks.yaml' })).toBe('/etc/hooks.yaml');
  });

  it.each([
    [
      { kubeConfigFile: 'hooks.yaml' },
      'kubeConfigFile: Invalid value: "hooks.yaml": must be an absolute file path',
    ],
    [{ staticManifestsDir: '/manifests' }, GATE_IS_OFF],
    [{ kubeconfigFile: '/x' }, 'strict decoding error: unknown field "kubeconfigFile"'],
  ])('refuses %j', (more, why) => {
    expect(() => read(more)).toThrow(
      `couldn't init admission plugin "ValidatingAdmissionWebhook": ${why}`,
    );
  });

  it('is of one kind and version', () => {
    expect(() => read({ kind: 'Other' })).toThrow(`must be ${VERSION}, WebhookAdmissionConf`);
    expect(() => read({ apiVersion: 'apiserver.config.k8s.io/v1alpha1' })).toThrow('v1alpha1');
  });
});

describe('the configuration of policies', () => {
  it.each(['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'])(
    'of %s refuses manifests from a directory',
    async (name) => {
      const made = (more: JsonObject) =>
        givenControlPlane({
          plugins: (world) => {
            const content = { apiVersion: VERSION, kind: `${name}Configuration`, ...more };
            const configurations = new Map([[name, { content, file: 'f.yaml' }]]);
            return pluginsOf(world, { ...DEFAULT_SELECTION, configurations });
          },
        });
      await expect(made({ staticManifestsDir: '/m' })).rejects.toThrow(
        `couldn't init admission plugin "${name}": ${GATE_IS_OFF}`,
      );
      await expect(made({ kubeConfigFile: '/m' })).rejects.toThrow('unknown field');
      await expect(made({})).resolves.toBeDefined();
    },
  );
});
