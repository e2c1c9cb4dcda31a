/** What stands around the rows; the rows themselves are compared in printed/ and e2e/oracles/printers. */
import { describe, expect, it } from 'vitest';
import { itemsAt, type JsonObject, listAt } from '../../api/json/json.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import { tableFor, type TableOptions } from './table.ts';

const NOW = Date.UTC(2026, 10, 21);
const configMaps = { group: '', resource: 'configmaps' };
const options: TableOptions = { includeObject: 'Metadata', now: NOW };

const configMap: JsonObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', creationTimestamp: '2026-11-20T23:55:00Z' },
  data: { x: '1', y: '2' },
};

describe('a table', () => {
  it('has columns, cells with numbers in them, and metadata', () => {
    expect(
      tableFor(configMaps, [configMap], { ...options, listMeta: { resourceVersion: '7' } }),
    ).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Data', type: 'string', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', description: '', priority: 0 },
      ],
      rows: [
        {
          cells: ['a', 2, '5m'],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: configMap['metadata'],
          },
        },
      ],
    });
  });

  it('carries whole objects, or none, where it is asked to', () => {
    const whole = tableFor(configMaps, [configMap], { ...options, includeObject: 'Object' });
    expect(whole['rows']).toEqual([{ cells: ['a', 2, '5m'], object: configMap }]);
    const toServed = (): JsonObject => ({ apiVersion: 'v2' });
    const served = tableFor(configMaps, [configMap], {
      ...options,
      includeObject: 'Object',
      toServed,
    });
    expect(served['rows']).toMatchObject([{ object: { apiVersion: 'v2' } }]);
    const none = tableFor(configMaps, [configMap], { ...options, includeObject: 'None' });
    expect(none['rows']).toEqual([{ cells: ['a', 2, '5m'], object: null }]);
  });

  it('carries the metadata of the bookmark that ends the initial events in any case', () => {
    const metadata = { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } };
    const table = tableFor(configMaps, [{ metadata }], { ...options, includeObject: 'None' });
    expect(table['rows']).toMatchObject([{ object: { kind: 'PartialObjectMetadata', metadata } }]);
  });

  it('leaves out the columns after the first event of a watch', () => {
    const table = tableFor(configMaps, [configMap], { ...options, withoutColumns: true });
    expect(table['columnDefinitions']).toBeNull();
  });

  it('answers in the version of Table that was asked for', () => {
    const apiVersion = 'meta.k8s.io/v1beta1';
    const table = tableFor(configMaps, [configMap], { ...options, apiVersion });
    expect(table).toMatchObject({ apiVersion, rows: [{ object: { apiVersion } }] });
  });

  it('has no rows where there are no objects', () => {
    expect(tableFor(configMaps, [], options)['rows']).toEqual([]);
  });
});

describe('a resource without a printer', () => {
  const roles = { group: 'rbac.authorization.k8s.io', resource: 'roles' };

  it('shows its name and when it was created', () => {
    const table = tableFor(roles, [configMap, stored(roles, {})], {
      ...options,
      includeObject: 'None',
    });
    expect(table).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Created At', type: 'date' }],
      rows: [{ cells: ['a', '2026-11-20T23:55:00Z'] }, { cells: ['', '0001-01-01T00:00:00Z'] }],
    });
  });

  it('has null for no rows, as upstream does', () => {
    expect(tableFor(roles, [], options)['rows']).toBeNull();
  });
});

describe('rows', () => {
  it('of pods that are done say so to a watching client', () => {
    const pods = { group: '', resource: 'pods' };
    const pod = stored(pods, { status: { phase: 'Succeeded' } });
    const table = tableFor(pods, [pod], options);
    expect(table['rows']).toMatchObject([
      { conditions: [{ type: 'Completed', status: 'True', reason: 'Succeeded' }] },
    ]);
  });

  it('of flow schemas stand in the order in which these are tried', () => {
    const resource = { group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas' };
    const named = (name: string, matchingPrecedence: number): JsonObject =>
      stored(resource, { metadata: { name }, spec: { matchingPrecedence } });
    const schemas = [named('b', 2), named('a', 2), named('c', 1)];
    const table = tableFor(resource, schemas, options);
    const names = itemsAt(table, 'rows').map((row) => listAt(row, 'cells')[0]);
    expect(names).toEqual(['c', 'a', 'b']);
  });

  it('of aggregated APIs say where they are served and why not', () => {
    const conditions = [{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }];
    const remote = { spec: { service: { namespace: 'n', name: 's' } }, status: { conditions } };
    const resource = { group: 'apiregistration.k8s.io', resource: 'apiservices' };
    const objects = [{ metadata: { name: 'v1.' } }, remote].map((one) => stored(resource, one));
    const table = tableFor(resource, objects, options);
    expect(table['rows']).toMatchObject([
      { cells: ['v1.', 'Local', 'Unknown', '<unknown>'] },
      { cells: ['', 'n/s', 'False (MissingEndpoints)', '<unknown>'] },
    ]);
  });
});

/** As decoding makes it, which is how it is stored. */
function stored({ group, resource }: typeof configMaps, object: JsonObject): JsonObject {
  const facts = resourceFacts().find((one) => one.group === group && one.resource === resource);
  const read = typedCodec(facts?.typeId ?? '').decode(object);
  if (!read.ok) throw new Error('it does not decode');
  return read.value;
}
