/** What the kinds say of names, deletion and rewriting, beside their rules of validation. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import type { KubeObject } from '../meta/object-meta.ts';
import type { Strategy } from './strategy.ts';
import { builtInResources } from './built-in.ts';
import { systemNamespaces } from './core/namespaces/definition.ts';

const served = builtInResources({ now: () => 0, after: () => () => undefined });

function strategyOf(resource: string): Strategy {
  const found = served.find(({ facts }) => facts.resource === resource);
  if (found === undefined) throw new Error(`${resource} is not served`);
  return found.definition.strategy;
}

function pod(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec, status };
}

describe('deletion of a pod', () => {
  it.each([
    [
      'takes the time of the pod',
      { nodeName: 'n', terminationGracePeriodSeconds: 30 },
      undefined,
      30,
    ],
    [
      'takes the time that is asked for',
      { nodeName: 'n', terminationGracePeriodSeconds: 30 },
      5,
      5,
    ],
    ['is at once when asked for', { nodeName: 'n', terminationGracePeriodSeconds: 30 }, 0, 0],
    ['is at once when no node has it', { terminationGracePeriodSeconds: 30 }, 10, 0],
    ['takes a second when the time is negative', { nodeName: 'n' }, -5, 1],
  ])('%s', (_what, spec, requested, expected) => {
    expect(strategyOf('pods').gracePeriodSeconds?.(pod(spec), requested)).toBe(expected);
  });

  it.each(['Failed', 'Succeeded'])('is at once when it has ended: %s', (phase) => {
    const ended = pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, { phase });
    expect(strategyOf('pods').gracePeriodSeconds?.(ended, 30)).toBe(0);
  });
});

describe('deletion of a namespace', () => {
  const namespace = (finalizers: string[]): KubeObject => ({
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: { finalizers },
    status: { phase: 'Active' },
  });

  it('waits for the finalizers of its spec', () => {
    const strategy = strategyOf('namespaces');
    expect(strategy.isHeldBack?.(namespace(['kubernetes']))).toBe(true);
    expect(strategy.isHeldBack?.(namespace([]))).toBe(false);
  });

  it('shows in its phase', () => {
    const deleted = namespace(['kubernetes']);
    strategyOf('namespaces').holdOnDelete?.(deleted, '2026-11-21T09:00:00Z');
    expect(deleted['status']).toEqual({ phase: 'Terminating' });
  });

  it('knows those that are always there', () => {
    expect(systemNamespaces).toEqual(['default', 'kube-system', 'kube-public', 'kube-node-lease']);
  });
});

describe('names', () => {
  it.each([
    ['pods', 'a.b', true],
    ['pods', 'A', false],
    ['services', '1a', true],
    ['services', 'a.b', false],
    ['namespaces', 'a.b', false],
    ['statefulsets', 'a.b', false],
    ['deployments', 'a.b', true],
    ['roles', 'System:Node', true],
    ['roles', 'a/b', false],
    ['apiservices', 'v1.', true],
    ['certificatesigningrequests', 'A_B', true],
    ['ipaddresses', '10.0.0.1', true],
    ['ipaddresses', 'fd00::1', true],
    ['ipaddresses', 'a', false],
  ])('of %s: %s is one: %s', (resource, name, isOne) => {
    expect(strategyOf(resource).validateName(name, false).length === 0).toBe(isOne);
  });
});

describe('what differs between kinds', () => {
  const having = (has: (strategy: Strategy) => boolean): string[] => [
    ...new Set(
      served
        .filter(({ facts, definition }) => facts.storageVersionHash && has(definition.strategy))
        .map(({ facts }) => facts.resource),
    ),
  ];

  it('dependents are kept only where clients have always relied on it', () => {
    expect(having((one) => one.defaultGarbageCollection === 'orphan')).toEqual([
      'replicationcontrollers',
      'jobs',
    ]);
    expect(having((one) => one.defaultGarbageCollection === 'unsupported')).toEqual(['events']);
  });

  it('PUT creates only some', () => {
    expect(having((one) => one.allowsCreateOnUpdate)).toEqual([
      'endpoints',
      'events',
      'limitranges',
      'services',
      'clusterrolebindings',
      'clusterroles',
      'rolebindings',
      'roles',
      'leases',
      'runtimeclasses',
    ]);
  });

  it('some cannot be overwritten blindly', () => {
    expect(having((one) => !one.allowsUnconditionalUpdate)).toEqual([
      'apiservices',
      'poddisruptionbudgets',
      'csidrivers',
      'csinodes',
      'csistoragecapacities',
      'volumeattachments',
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'mutatingwebhookconfigurations',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
      'validatingwebhookconfigurations',
      'customresourcedefinitions',
      'leases',
      'runtimeclasses',
    ]);
  });

  it('some are shown when they are deleted', () => {
    expect(having((one) => one.returnsDeletedObject)).toEqual([
      'namespaces',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'podtemplates',
      'resourcequotas',
      'serviceaccounts',
      'services',
      'csidrivers',
      'csinodes',
      'storageclasses',
      'volumeattachments',
      'volumeattributesclasses',
      'deviceclasses',
      'resourceclaims',
      'resourceclaimtemplates',
      'resourceslices',
    ]);
  });
});
