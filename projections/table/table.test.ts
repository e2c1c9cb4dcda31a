/** What stands around the rows; the rows themselves are compared in printed/ and e2e/oracles/printers. */
import { describe, expect, it } from 'vitest';
import { itemsAt, type JsonObject, listAt } from '../../api/json/json.ts';
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
    const served = tableFor(configMaps, [{}], { ...options, includeObject: 'Object', toServed });
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
    const table = tableFor(roles, [configMap, {}], { ...options, includeObject: 'None' });
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
  it('of pods that are done say so to who watches', () => {
    const pod = { metadata: {}, status: { phase: 'Succeeded' } };
    const table = tableFor({ group: '', resource: 'pods' }, [pod], options);
    expect(table['rows']).toMatchObject([
      { conditions: [{ type: 'Completed', status: 'True', reason: 'Succeeded' }] },
    ]);
  });

  it('of flow schemas stand in the order in which these are tried', () => {
    const schemas = [named('b', 2), named('a', 2), named('c', 1)];
    const group = 'flowcontrol.apiserver.k8s.io';
    const table = tableFor({ group, resource: 'flowschemas' }, schemas, options);
    const names = itemsAt(table, 'rows').map((row) => listAt(row, 'cells')[0]);
    expect(names).toEqual(['c', 'a', 'b']);
  });

  it('of aggregated APIs say where they are served and why not', () => {
    const conditions = [{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }];
    const remote = { spec: { service: { namespace: 'n', name: 's' } }, status: { conditions } };
    const table = tableFor(
      { group: 'apiregistration.k8s.io', resource: 'apiservices' },
      [{ metadata: { name: 'v1.' } }, remote],
      options,
    );
    expect(table['rows']).toMatchObject([
      { cells: ['v1.', 'Local', 'Unknown', '<unknown>'] },
      { cells: ['', 'n/s', 'False (MissingEndpoints)', '<unknown>'] },
    ]);
  });
});

function named(name: string, matchingPrecedence: number): JsonObject {
  return { metadata: { name }, spec: { matchingPrecedence } };
}
