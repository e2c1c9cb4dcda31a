import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { upstreamObjects } from '../../tools/generate/upstream-objects.fixture.ts';
import { typeIdOfKind } from './type-facts.ts';
import { typedCodec, type Decoded } from './typed-json.ts';

const API_VERSIONS = new Map([
  ['ControllerRevision', 'apps/v1'],
  ['Deployment', 'apps/v1'],
  ['StatefulSet', 'apps/v1'],
  ['Lease', 'coordination.k8s.io/v1'],
  ['CustomResourceDefinition', 'apiextensions.k8s.io/v1'],
]);

function decode(kind: string, json: string): Decoded {
  const typeId = typeIdOfKind(API_VERSIONS.get(kind) ?? 'v1', kind) ?? '';
  return typedCodec(typeId).decode(JSON.parse(json) as JsonValue, { collectUnknown: true });
}

/** The value as text, so that the order of keys counts. */
function textOf(decoded: Decoded): string {
  return decoded.ok ? JSON.stringify(decoded.value) : decoded.message;
}

describe('a value is written as Go writes it', () => {
  it.each([
    ['Pod', '{}', '{"metadata":{},"spec":{"containers":null},"status":{}}'],
    [
      'Pod',
      '{"spec":{"containers":[null],"tolerations":[],"nodeSelector":null,"securityContext":{}}}',
      '{"metadata":{},"spec":{"containers":[{"name":"","resources":{}}],"securityContext":{}},"status":{}}',
    ],
    [
      'Deployment',
      '{"status":{"conditions":[]}}',
      '{"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    ],
    ['ControllerRevision', '{}', '{"metadata":{},"data":null,"revision":0}'],
    [
      'ConfigMap',
      '{"data":{"b":"1","a":null},"metadata":{"namespace":"n","name":"x","creationTimestamp":null},"apiVersion":"v1","kind":"ConfigMap"}',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"n"},"data":{"a":"","b":"1"}}',
    ],
    [
      'Pod',
      '{"metadata":{"creationTimestamp":"2020-01-01T00:00:00.5+02:00","deletionTimestamp":"0001-01-01T00:00:00Z"}}',
      '{"metadata":{"creationTimestamp":"2019-12-31T22:00:00Z","deletionTimestamp":null},"spec":{"containers":null},"status":{}}',
    ],
    [
      'Secret',
      '{"data":{"a":null,"b":"","c":[1,2],"d":"YR==","e":"YQ\\n=="}}',
      '{"metadata":{},"data":{"a":null,"b":"","c":"AQI=","d":"YQ==","e":"YQ=="}}',
    ],
    [
      'Node',
      '{"status":{"capacity":{"memory":"0.5Gi","cpu":0.5}}}',
      '{"metadata":{},"spec":{},"status":{"capacity":{"cpu":"500m","memory":"512Mi"},"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}}',
    ],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"default":null,"enum":[null,{"z":1,"a":2}],"items":"x","additionalProperties":{"items":[{"zz":1}]},"dependencies":{"a":["x"],"b":{"type":"c"},"c":null}}}}]}}',
      '{"metadata":{},"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"","served":false,"storage":false,"schema":{"openAPIV3Schema":{"enum":[null,{"z":1,"a":2}],"items":null,"additionalProperties":{"items":[{}]},"dependencies":{"a":["x"],"b":{"type":"c"},"c":null}}}}]},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}',
    ],
  ])('%s %s', (kind, given, written) => {
    expect(textOf(decode(kind, given))).toBe(written);
  });

  it('keeps a key named __proto__ a key', () => {
    const decoded = decode('ConfigMap', '{"data":{"b":"2","__proto__":"1"}}');
    expect(textOf(decoded)).toBe('{"metadata":{},"data":{"__proto__":"1","b":"2"}}');
    const unknown = decode('Pod', '{"spec":{"__proto__":{"a":1}}}');
    expect(unknown.ok && unknown.unknownFields).toEqual(['unknown field "spec.__proto__"']);
  });

  it('does not change what it was given', () => {
    const given = { data: { b: '1', a: null }, metadata: { labels: { z: 'z', a: 'a' } } };
    const before = JSON.stringify(given);
    typedCodec('io.k8s.api.core.v1.ConfigMap').decode(given);
    expect(JSON.stringify(given)).toBe(before);
  });

  it('stays below what a signed 64-bit number holds', () => {
    const decoded = decode('Pod', '{"metadata":{"generation":9223372036854775807}}');
    const generation = /"generation":(\d+)/.exec(textOf(decoded))?.[1] ?? '0';
    expect(BigInt(generation) < 2n ** 63n).toBe(true);
  });
});

describe('what Go refuses is refused in its words', () => {
  const into = 'json: cannot unmarshal';
  it.each([
    ['ConfigMap', '[]', `${into} array into Go value of type v1.ConfigMap`],
    [
      'ConfigMap',
      '{"data":{"a":1}}',
      `${into} number into Go struct field ConfigMap.data of type string`,
    ],
    [
      'ConfigMap',
      '{"kind":1}',
      `${into} number into Go struct field ConfigMap.TypeMeta.kind of type string`,
    ],
    [
      'Pod',
      '{"spec":{"containers":["a"]}}',
      `${into} string into Go struct field PodSpec.spec.containers of type v1.Container`,
    ],
    [
      'Pod',
      '{"spec":{"volumes":[{"hostPath":{"path":1}}]}}',
      `${into} number into Go struct field HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string`,
    ],
    [
      'Pod',
      '{"spec":{"terminationGracePeriodSeconds":1.5}}',
      `${into} number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64`,
    ],
    [
      'Pod',
      '{"spec":{"priority":3000000000}}',
      `${into} number 3000000000 into Go struct field PodSpec.spec.priority of type int32`,
    ],
    [
      'Pod',
      '{"metadata":{"creationTimestamp":5}}',
      `${into} number into Go struct field ObjectMeta.metadata.creationTimestamp of type string`,
    ],
    [
      'Pod',
      '{"metadata":{"labels":[]}}',
      `${into} array into Go struct field ObjectMeta.metadata.labels of type map[string]string`,
    ],
    [
      'Pod',
      '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}',
      `${into} bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32`,
    ],
    [
      'Node',
      '{"status":{"capacity":5}}',
      `${into} number into Go struct field NodeStatus.status.capacity of type v1.ResourceList`,
    ],
    [
      'Node',
      '{"status":{"capacity":{"cpu":{}}}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['Secret', '{"data":{"a":"abc"}}', 'illegal base64 data at input byte 0'],
    [
      'Lease',
      '{"spec":{"renewTime":"x"}}',
      'parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":5}}}]}}',
      'boolean or JSON schema expected',
    ],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":{"type":5}}}}]}}',
      `${into} number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.additionalProperties.type of type string`,
    ],
  ])('%s %s', (kind, given, message) => {
    expect(decode(kind, given)).toEqual({ ok: false, message });
  });

  it('reports the first wrong type of the input, unless a value ends the reading', () => {
    const first = '{"spec":{"priority":"x","containers":5},"metadata":5}';
    expect(textOf(decode('Pod', first))).toContain('PodSpec.spec.priority of type int32');
    const fatal = '{"spec":{"priority":"x"},"metadata":{"creationTimestamp":"y"}}';
    expect(textOf(decode('Pod', fatal))).toContain('parsing time "y"');
  });

  it('refuses schemas nested too deep, without running out of stack', () => {
    const deep = `${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`;
    const given = `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${deep}}}]}}`;
    expect(textOf(decode('CustomResourceDefinition', given))).toBe('exceeded max depth');
  });
});

describe('unknown fields', () => {
  it('are left out and listed in the order of the input', () => {
    const given = '{"spec":{"volumes":[{"hostPath":{"path":"a","zz":2}}],"x\\"y":1},"z":null}';
    const decoded = decode('Pod', given);
    expect(decoded.ok && decoded.unknownFields).toEqual([
      'unknown field "spec.volumes[0].hostPath.zz"',
      'unknown field "spec.x\\"y"',
      'unknown field "z"',
    ]);
    expect(textOf(decoded)).not.toContain('zz');
  });

  it('are not listed unless asked for', () => {
    const decoded = typedCodec('io.k8s.api.core.v1.Pod').decode({ zz: 1 });
    expect(decoded.ok && decoded.unknownFields).toEqual([]);
  });

  it('are 100 at most', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x${String(at)}`, 1]));
    const decoded = decode('Pod', JSON.stringify(many));
    expect(decoded.ok && decoded.unknownFields.length).toBe(100);
  });
});

describe('schemas in schemas', () => {
  const typeId = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
  const decodeSchema = (schema: JsonValue) => {
    const decoded = typedCodec(typeId).decode(schema, { collectUnknown: true });
    if (!decoded.ok) throw new Error(decoded.message);
    return decoded.value;
  };

  it('are decoded once each, however deep they lie', () => {
    let schema: JsonObject = { type: 'string', description: '' };
    for (let depth = 0; depth < 200; depth++) schema = { type: 'object', properties: { schema } };
    const text = JSON.stringify(decodeSchema(schema));
    expect(text).toBe(JSON.stringify(schema).replace(',"description":""', ''));
  });

  it('are given back as they are where they need no change, and else beside those that do', () => {
    const kept = { description: 'a', type: 'string' };
    const properties = { a: kept, b: { type: 'string', description: 'b', title: '' } };
    const decoded = decodeSchema({ type: 'object', properties });
    expect(JSON.stringify(decoded['properties'])).toBe(
      JSON.stringify({ a: kept, b: { description: 'b', type: 'string' } }),
    );
    expect((decoded['properties'] as JsonObject)['a']).toBe(kept);
    expect(decodeSchema(decoded)).toBe(decoded);
    expect(JSON.stringify(properties.b)).toBe('{"type":"string","description":"b","title":""}');
  });
});

describe('the objects that upstream keeps of every kind', () => {
  const objects = upstreamObjects('HEAD').flatMap(({ name, json }) => {
    const { apiVersion = '', kind = '' } = JSON.parse(json) as {
      apiVersion?: string;
      kind?: string;
    };
    const typeId = typeIdOfKind(apiVersion, kind);
    return typeId === undefined ? [] : [{ name, json, typeId }];
  });

  it.skipIf(objects.length === 0)('come out as they are, in value and order', () => {
    const changed = objects.filter(({ json, typeId }) => {
      const value = JSON.parse(json) as JsonValue;
      return textOf(typedCodec(typeId).decode(value)) !== JSON.stringify(value);
    });
    expect(changed.map(({ name }) => name)).toEqual([]);
    expect(objects.length).toBe(184);
  });
});
