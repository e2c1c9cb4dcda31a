import { describe, expect, it } from 'vitest';

import type { CustomResourceDefinition } from '../../generated/kinds/apiextensions-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import { decodedAs } from '../decoded.fixture.ts';
import { shownFacts } from './custom-facts.ts';
import { summaryOf } from './definition-summary.ts';

const names = { plural: 'tabs', singular: 'tab', kind: 'Tab', listKind: 'TabList' };

function definition(
  versions: JsonObject[],
  conditions: Readonly<Record<string, string>> = { Established: 'True' },
): CustomResourceDefinition {
  return decodedAs('apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'tabs.example.com', uid: 'u', generation: 2 },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    status: {
      acceptedNames: names,
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
    },
  });
}

const v1: JsonObject = { name: 'v1', served: true, storage: true };

describe('the summary of a definition', () => {
  it('says what is served of it', () => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    const beta = { name: 'v1beta1', served: false, subresources: { status: {}, scale } };
    const summary = summaryOf(definition([v1, beta]), 17);
    expect(summary).toMatchObject({
      name: 'tabs.example.com',
      generation: 2,
      resourceVersion: 17,
      namespaced: true,
      storageVersion: 'v1',
      isEstablished: true,
      isServed: true,
      isTerminating: false,
    });
    expect(summary.versions.map(({ isServed, hasStatus }) => [isServed, hasStatus])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(summary.versions[1]?.scale).toEqual({
      specReplicas: '.spec.n',
      statusReplicas: '.status.n',
      labelSelector: '',
    });
  });

  it.each([
    [{ Established: 'True', NamesAccepted: 'True' }, true, true],
    [{ Established: 'False', NamesAccepted: 'True' }, false, true],
    [{ Established: 'True', NamesAccepted: 'False' }, true, true],
    [{ Established: 'False', NamesAccepted: 'False' }, false, false],
    [{}, false, false],
  ])('of %j: established %s, served %s', (conditions, isEstablished, isServed) => {
    expect(summaryOf(definition([v1], conditions), 1)).toMatchObject({ isEstablished, isServed });
  });

  it('is of nothing that is served while no names are accepted', () => {
    const nameless = decodedAs('apiextensions.k8s.io/v1/customresourcedefinitions', {
      ...definition([v1]),
      status: { conditions: [] },
    });
    expect(summaryOf(nameless, 1)).toMatchObject({ isServed: false });
  });

  it.each([
    ['v1beta1', undefined, 'example.com/v1beta1 Tab is deprecated; use example.com/v2 Tab'],
    ['v3', undefined, 'example.com/v3 Tab is deprecated'],
    ['v1beta1', 'go away', 'go away'],
  ])('warns of %s, which is deprecated', (name, deprecationWarning, warning) => {
    const old: JsonObject = {
      name,
      served: true,
      deprecated: true,
      ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    };
    const unserved: JsonObject = { name: 'v9', served: false };
    const { versions } = summaryOf(
      definition([old, v1, { name: 'v2', served: true }, unserved]),
      1,
    );
    expect(versions[0]?.warning).toBe(warning);
    expect(versions[1]?.warning).toBeUndefined();
  });

  it('is shown by discovery without the verbs that make objects while it goes', () => {
    const [version] = summaryOf(definition([v1]), 1).versions;
    if (version === undefined) throw new Error('no version');
    const there = summaryOf(definition([v1]), 1);
    const going = summaryOf(definition([v1], { Established: 'True', Terminating: 'True' }), 1);
    expect(shownFacts(there, version).verbs).toContain('create');
    expect(shownFacts(going, version).verbs).toEqual([
      ...['delete', 'deletecollection', 'get', 'list', 'watch'],
    ]);
  });
});
