import { describe, expect, it } from 'vitest';
import { FORK_GROUP } from '../everwatch/fork-facts.ts';
import { resourceFacts } from '../scheme/resource-facts.ts';
import type { ServedResource } from './resource-definition.ts';
import { defineKind } from './kind.ts';
import { builtInResources } from './built-in.ts';

const clock = { now: () => 0, after: () => () => undefined };
const served = builtInResources(clock);

function named({ group, version, resource }: ServedResource['facts']): string {
  return `${group}/${version}/${resource}`;
}

function find(apiVersion: string, resource: string): ServedResource {
  const found = served.find(
    (one) => one.apiVersion === apiVersion && one.facts.resource === resource,
  );
  if (found === undefined) throw new Error(`${apiVersion} ${resource} is not served`);
  return found;
}

/** What is done at, and not a view of, the object. */
const ACTIONS = [
  ...['scale', 'binding', 'eviction', 'token'],
  ...['attach', 'exec', 'log', 'portforward', 'proxy'],
];

describe('builtInResources', () => {
  it('has everything that upstream stores, in the order of its discovery', () => {
    const stored = resourceFacts().filter(({ storageVersionHash }) => storageVersionHash);
    const ours = served.filter(({ facts }) => facts.storageVersionHash);
    const upstreams = ours.filter(({ facts }) => facts.group !== FORK_GROUP);
    expect(upstreams.map(({ facts }) => named(facts))).toEqual(stored.map(named));
    const own = ours.filter(({ facts }) => facts.group === FORK_GROUP);
    expect(own.map(({ facts }) => named(facts))).toEqual(['dev.everwatch/v1alpha1/forks']);
  });

  it('names only what is served of the subresources', () => {
    const subresources = served
      .filter(({ facts }) => facts.subresources.length > 0)
      .map(({ facts }) => [
        `${facts.resource} ${facts.version}`,
        facts.subresources.map(({ name }) => name).join(' '),
      ]);
    expect(Object.fromEntries(subresources)).toEqual({
      'namespaces v1': 'finalize status',
      'nodes v1': 'proxy status',
      'persistentvolumeclaims v1': 'status',
      'persistentvolumes v1': 'status',
      'pods v1':
        'attach binding ephemeralcontainers eviction exec log portforward proxy resize status',
      'replicationcontrollers v1': 'scale status',
      'resourcequotas v1': 'status',
      'services v1': 'proxy status',
      'apiservices v1': 'status',
      'daemonsets v1': 'status',
      'deployments v1': 'scale status',
      'replicasets v1': 'scale status',
      'statefulsets v1': 'scale status',
      'horizontalpodautoscalers v2': 'status',
      'horizontalpodautoscalers v1': 'status',
      'cronjobs v1': 'status',
      'jobs v1': 'status',
      'certificatesigningrequests v1': 'approval status',
      'ingresses v1': 'status',
      'serviceaccounts v1': 'token',
      'servicecidrs v1': 'status',
      'poddisruptionbudgets v1': 'status',
      'volumeattachments v1': 'status',
      'validatingadmissionpolicies v1': 'status',
      'customresourcedefinitions v1': 'status',
      'resourceclaims v1': 'status',
      'flowschemas v1': 'status',
      'prioritylevelconfigurations v1': 'status',
    });
  });

  it('has rules for every subresource of the facts that is a view of the object', () => {
    for (const { facts, definition } of served) {
      const names = facts.subresources
        .map(({ name }) => name)
        .filter((name) => !ACTIONS.includes(name));
      expect([...definition.strategy.subresources.keys()].sort()).toEqual(names.sort());
    }
  });

  it('shows one store through two versions', () => {
    const v2 = find('autoscaling/v2', 'horizontalpodautoscalers');
    const v1 = find('autoscaling/v1', 'horizontalpodautoscalers');
    expect(v1.definition).toBe(v2.definition);
    expect(v2.conversion).toBeUndefined();
    expect(v1.conversion).toBeDefined();
    expect(v1.definition.storageFacts.version).toBe('v2');

    const events = find('v1', 'events');
    const strictEvents = find('events.k8s.io/v1', 'events');
    expect(strictEvents.definition.storageFacts).toBe(events.definition.storageFacts);
    expect(strictEvents.definition.strategy).not.toBe(events.definition.strategy);
    expect(strictEvents.definition.storage).toBe('core/events');
    expect(events.definition.storage).toBe('core/events');
  });

  it('stores every resource in a place of its own', () => {
    const stored = served.filter(({ facts }) => facts.storageVersionHash);
    const storages = new Map(
      stored.map(({ definition }) => [definition.storageFacts, definition.storage]),
    );
    expect(new Set(storages.values()).size).toBe(storages.size);
    expect(find('apps/v1', 'deployments').definition.storage).toBe('apps/deployments');
  });

  it.each([
    ['v1', 'pods', { 'spec.nodeName': 'n', 'spec.host': 'n', 'spec.hostNetwork': 'true' }],
    ['v1', 'pods', { 'status.podIP': '10.0.0.1', 'status.podIPs': '', 'status.phase': 'Running' }],
    ['batch/v1', 'jobs', { 'status.successful': '3' }],
    ['v1', 'replicationcontrollers', { 'status.replicas': '2' }],
    ['v1', 'nodes', { 'spec.unschedulable': 'false' }],
    ['v1', 'secrets', { type: 'Opaque' }],
    ['v1', 'events', { source: 'kubelet', 'involvedObject.kind': 'Pod' }],
    ['events.k8s.io/v1', 'events', { 'regarding.kind': 'Pod', reportingController: 'ctl' }],
    ['certificates.k8s.io/v1', 'certificatesigningrequests', { 'spec.signerName': 's/n' }],
  ])('%s %s can be selected by %j', (apiVersion, resource, expected) => {
    const object = {
      type: 'Opaque',
      involvedObject: { kind: 'Pod' },
      source: { component: 'kubelet' },
      reportingComponent: 'ctl',
      spec: { nodeName: 'n', hostNetwork: true, signerName: 's/n' },
      status: {
        phase: 'Running',
        podIPs: [{ ip: '10.0.0.1' }],
        podIP: '10.0.0.1',
        succeeded: 3,
        replicas: 2,
      },
    };
    const { fields, selectableFields, definition } = find(apiVersion, resource);
    const stored = definition.codec.decode(object);
    if (!stored.ok) throw new Error('it does not decode');
    const found = fields?.(stored.value) ?? {};
    expect(found).toMatchObject(expected);
    expect(selectableFields).toEqual(Object.keys(found));
  });

  it('reads selectable fields of the type of the kind', () => {
    const kind = defineKind('v1/pods', {
      rules: {},
      fields: {
        'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
        // @ts-expect-error the field is called nodeName
        'spec.node': ({ spec }) => String(spec.node),
      },
    });
    expect(kind.fields?.names).toEqual(['spec.nodeName', 'spec.node']);
  });
});
