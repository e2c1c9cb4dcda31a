import { describe, expect, it } from 'vitest';

import { givenControlPlane } from '../../actors/registry/given-registry.fixture.ts';

const URL = '/api/v1/namespaces/default/configmaps/a?fieldManager=me';
const TWICE = `apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  k: first
  k: second
`;
const PROBLEM = 'key "k" already set in map';

async function applied(text: string, query = '') {
  const plane = await givenControlPlane();
  const contentType = 'application/apply-patch+yaml';
  return plane.send({ method: 'PATCH', url: `${URL}${query}`, contentType, text });
}

describe('a configuration in YAML that says a key twice', () => {
  it('is applied with a warning, without what YAML says around it', async () => {
    const { code, object, warnings } = await applied(TWICE);
    expect([code, warnings]).toEqual([201, [`line 6: ${PROBLEM}`]]);
    expect(object['data']).toEqual({ k: 'second' });
  });

  it('is refused, if the client wants that', async () => {
    const { code, message } = await applied(TWICE, '&fieldValidation=Strict');
    expect(code).toBe(400);
    expect(message).toBe(
      'error strict decoding YAML: error converting YAML to JSON: ' +
        `yaml: unmarshal errors:\n  line 6: ${PROBLEM}`,
    );
  });

  it('is told of alike where it is created', async () => {
    const plane = await givenControlPlane();
    const contentType = 'application/yaml';
    const url = '/api/v1/namespaces/default/configmaps';
    const { code, warnings } = await plane.send({ method: 'POST', url, contentType, text: TWICE });
    expect([code, warnings]).toEqual([201, [`line 6: ${PROBLEM}`]]);
  });

  it('is applied in silence, if the client wants that', async () => {
    const { code, warnings } = await applied(TWICE, '&fieldValidation=Ignore');
    expect([code, warnings]).toEqual([201, []]);
  });
});

describe('a configuration', () => {
  it('may be nested as deep as YAML may, and no deeper', async () => {
    const nested = (depth: number) =>
      `{"apiVersion":"v1","kind":"ConfigMap","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await applied(nested(500))).message).toBe(
      'error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth',
    );
    expect((await applied(nested(499))).message).toContain('.x: field not declared in schema');
  });

  it('that is no YAML is told so in the words of Go', async () => {
    const { code, message } = await applied('a: [');
    expect(code).toBe(400);
    expect(message).toMatch(/^error decoding YAML: error converting YAML to JSON: yaml: /);
  });
});
