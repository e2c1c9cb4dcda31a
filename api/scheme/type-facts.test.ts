import { describe, expect, it } from 'vitest';
import type { FieldType } from './field-type.ts';
import {
  allTypeIds,
  type FieldFacts,
  findTypeFacts,
  jsonFieldsOf,
  typeFacts,
  typeIdOfKind,
} from './type-facts.ts';

const CORE = 'io.k8s.api.core.v1';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

function field(id: string, name: string): FieldFacts | undefined {
  return jsonFieldsOf(id).find((one) => one.name === name);
}

describe('facts of a field', () => {
  it('say how Go writes it', () => {
    expect(field(`${CORE}.ServicePort`, 'port')).toEqual({
      name: 'port',
      type: { kind: 'scalar', scalar: 'int32' },
      inline: false,
      omitEmpty: false,
      omitZero: false,
      protobuf: 3,
      patchStrategies: [],
      required: true,
      default: 0,
    });
  });

  it('say how lists merge', () => {
    expect(field(`${CORE}.PodSpec`, 'volumes')).toMatchObject({
      patchStrategies: ['merge', 'retainKeys'],
      patchMergeKey: 'name',
      listType: 'map',
      listMapKeys: ['name'],
    });
    expect(field(`${META}.ObjectMeta`, 'finalizers')).toMatchObject({
      patchStrategies: ['merge'],
      listType: 'set',
    });
  });

  it('tell a map that is one value from a struct that is one', () => {
    expect(field(`${CORE}.PodSpec`, 'nodeSelector')?.mapType).toBe('atomic');
    expect(field(`${CORE}.EnvVarSource`, 'fieldRef')?.mapType).toBeUndefined();
    expect(typeFacts(`${CORE}.ObjectFieldSelector`).mapType).toBe('atomic');
  });

  it('name enums and defaults, also of a constant', () => {
    expect(field(`${CORE}.ContainerPort`, 'protocol')).toMatchObject({
      type: { goName: 'v1.Protocol' },
      enum: ['SCTP', 'TCP', 'UDP'],
      default: 'TCP',
      required: false,
    });
    expect(field(`${CORE}.AzureDiskVolumeSource`, 'cachingMode')?.default).toBe('ReadWrite');
    expect(field(`${CORE}.PersistentVolumeClaimSpec`, 'accessModes')?.enum).toContain(
      'ReadWriteOnce',
    );
  });

  it('leave out the zero creationTimestamp', () => {
    expect(field(`${META}.ObjectMeta`, 'creationTimestamp')).toMatchObject({
      omitZero: true,
      type: { kind: 'time' },
    });
  });

  it('know named lists that are protobuf messages', () => {
    expect(field(`${META}.APIResource`, 'verbs')?.type).toEqual({
      kind: 'list',
      of: { kind: 'scalar', scalar: 'string' },
      goName: 'v1.Verbs',
      wrapped: `${META}.Verbs`,
    });
  });
});

describe('facts of a type', () => {
  it('name where it comes from', () => {
    const { goPackage, goName, apiVersion } = typeFacts('io.k8s.api.apps.v1.Deployment');
    expect({ goPackage, goName, apiVersion }).toEqual({
      goPackage: 'k8s.io/api/apps/v1',
      goName: 'Deployment',
      apiVersion: 'apps/v1',
    });
  });

  it('open inlined structs in their place', () => {
    const names = jsonFieldsOf(`${CORE}.ConfigMap`).map(({ name }) => name);
    expect(names).toEqual(['kind', 'apiVersion', 'metadata', 'immutable', 'data', 'binaryData']);
  });

  it('refer only to types that are there', () => {
    const missing = allTypeIds().flatMap((id) =>
      typeFacts(id).fields.flatMap(({ type }) =>
        messagesIn(type).filter((one) => findTypeFacts(one) === undefined),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('are not found under names of JavaScript', () => {
    expect(findTypeFacts(`${CORE}.constructor`)).toBeUndefined();
    expect(findTypeFacts('toString')).toBeUndefined();
    expect(() => typeFacts(`${CORE}.Nothing`)).toThrow('there is no built-in type');
  });
});

function messagesIn(type: FieldType): string[] {
  if (type.kind === 'message') return [type.id];
  return type.kind === 'list' || type.kind === 'map' ? messagesIn(type.of) : [];
}

describe('the type of a kind', () => {
  it.each([
    ['v1', 'Pod', `${CORE}.Pod`],
    ['apps/v1', 'DeploymentList', 'io.k8s.api.apps.v1.DeploymentList'],
    ['policy/v1', 'Eviction', 'io.k8s.api.policy.v1.Eviction'],
    ['v1', 'Status', `${META}.Status`],
    ['apps/v1', 'DeleteOptions', `${META}.DeleteOptions`],
    ['meta.k8s.io/v1', 'Table', `${META}.Table`],
    [
      'apidiscovery.k8s.io/v2',
      'APIGroupDiscoveryList',
      'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList',
    ],
    [
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    ],
    ['apps/v1', 'Nothing', undefined],
    ['example.com/v1', 'Pod', undefined],
    ['v1', '__proto__', undefined],
  ])('%s %s', (apiVersion, kind, id) => {
    expect(typeIdOfKind(apiVersion, kind)).toBe(id);
  });
});
