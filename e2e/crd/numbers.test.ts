/** Numbers in custom resources: given back as they came, through every door there is. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile();
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TALLIES = '/apis/example.com/v1/tallies';

const JSON_TYPE = { 'content-type': 'application/json' };
const LEAST = '-9223372036854775808';
const GREATEST = '9223372036854775807';

/** `definition` is JSON with these texts instead of numbers, which no number of ours would hold. */
const properties = {
  count: { type: 'integer', format: 'int64', default: 'LEAST' },
  x: { type: 'number' },
  bounded: { type: 'integer', format: 'int64', minimum: 0, maximum: 'GREATEST' },
  some: { type: 'integer', enum: [1, 'GREATEST'] },
  ids: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
};
const rules = [
  { rule: '!has(self.count) || self.count != 9223372036854775806', message: 'all but one' },
  {
    rule: 'self.count - 1 < self.count || self.count == -9223372036854775808',
    message: 'no overflow',
  },
];
const definition = resourceDefinition({
  group: 'example.com',
  plural: 'tallies',
  kind: 'Tally',
  scope: 'Cluster',
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
  },
  version: {
    additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.count' }],
    selectableFields: [{ jsonPath: '.spec.count' }],
  },
});
const written = JSON.stringify(definition)
  .replaceAll('"LEAST"', LEAST)
  .replaceAll('"GREATEST"', GREATEST);

let client: AdminClient;
beforeAll(async () => {
  client = adminClient(server());
  const made = await client.send('POST', CRDS, { body: written, headers: JSON_TYPE });
  expect(made.status).toBe(201);
  await eventually('the definition is served', async () =>
    (await client.get(TALLIES)).status === 200 ? true : undefined,
  );
});
afterAll(() => {
  client.close();
});

function tally(name: string, spec: string): string {
  const metadata = `{"name":"${name}"}`;
  return `{"kind":"Tally","apiVersion":"example.com/v1","metadata":${metadata},"spec":${spec}}`;
}

const post = (name: string, spec: string) =>
  client.send('POST', TALLIES, {
    body: tally(name, spec),
    headers: JSON_TYPE,
  });
/** As text, since a number that was parsed here would say what it likes. */
const textOf = async (path: string, accept = 'application/json'): Promise<string> => {
  const answer = await client.open(path, { accept });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};
const said = async (name: string): Promise<string> =>
  /"spec":(\{[^}]*\})/.exec(await textOf(`${TALLIES}/${name}`))?.[1] ?? '';

it.each([
  ['small', '{"count":-9007199254740991}'],
  ['nanoseconds', '{"count":1700000000000000000}'],
  ['fraction', '{"count":1,"x":0.1}'],
  ['least', `{"count":${LEAST}}`],
  ['greatest', `{"count":${GREATEST},"ids":[${GREATEST},9223372036854775806],"some":${GREATEST}}`],
])('%s are given back as they came', async (name, spec) => {
  expect((await post(name, spec)).status).toBe(201);
  expect(await said(name)).toBe(spec);
});

it('stand in defaults, tables, lists and selectors with every digit', async () => {
  expect((await post('defaulted', '{}')).status).toBe(201);
  expect(await said('defaulted')).toBe(`{"count":${LEAST}}`);
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect(await textOf(`${TALLIES}/defaulted`, table)).toContain(`"cells":["defaulted",${LEAST}]`);
  const selected = await textOf(`${TALLIES}?fieldSelector=spec.count%3D${LEAST}`);
  expect(selected).toContain('"name":"defaulted"');
  expect(selected).not.toContain('"name":"greatest"');
  expect(await textOf(`${TALLIES}/defaulted`, 'application/yaml')).toContain(`  count: ${LEAST}\n`);
  expect(await textOf(`${CRDS}/tallies.example.com`)).toContain(`"default":${LEAST}`);
});

it.each([
  ['merge-patch+json', `{"spec":{"count":${GREATEST}}}`],
  ['json-patch+json', `[{"op":"add","path":"/spec/count","value":${GREATEST}}]`],
  ['apply-patch+yaml', tally('patched', `{"count":${GREATEST}}`)],
  [
    'apply-patch+yaml',
    tally('patched', `{"count":${GREATEST}}`).replaceAll(/([:,])(?=[{"])/g, '$1 '),
  ],
])('come in by %s', async (type, body) => {
  await client.delete(`${TALLIES}/patched`);
  expect((await post('patched', `{"count":1,"some":${GREATEST}}`)).status).toBe(201);
  const query = type.startsWith('apply') ? '?fieldManager=e2e&force=true' : '';
  const headers = { 'content-type': `application/${type}` };
  const patched = await client.send('PATCH', `${TALLIES}/patched${query}`, { body, headers });
  expect(patched.status).toBe(200);
  expect(await said('patched')).toBe(`{"count":${GREATEST},"some":${GREATEST}}`);
  // The same again is no change.
  const again = await client.send('PATCH', `${TALLIES}/patched${query}`, { body, headers });
  expect(textAt(again.body, 'metadata', 'resourceVersion')).toBe(
    textAt(patched.body, 'metadata', 'resourceVersion'),
  );
});

it('a test of a JSON patch tells neighbours apart', async () => {
  const headers = { 'content-type': 'application/json-patch+json' };
  const body = '[{"op":"test","path":"/spec/count","value":9223372036854775806}]';
  const refused = await client.send('PATCH', `${TALLIES}/greatest`, { body, headers });
  expect(refused.status).toBe(422);
});

it('are judged by rules and enums exactly', async () => {
  const byRule = await post('ruled', '{"count":9223372036854775806}');
  expect([byRule.status, textAt(byRule.body, 'message')]).toEqual([
    422,
    expect.stringContaining('all but one'),
  ]);
  const byEnum = await post('listed', '{"some":9223372036854775806}');
  expect([byEnum.status, textAt(byEnum.body, 'message')]).toEqual([
    422,
    expect.stringContaining('Unsupported value: 9223372036854775806'),
  ]);
});

it('a bound is a float64 to Go, and one that no int64 holds is complained of with every value', async () => {
  const refused = await post('bounded', '{"bounded":1}');
  expect([refused.status, textAt(refused.body, 'message')]).toEqual([
    422,
    expect.stringContaining(
      'Maximum boundary value must be of type integer with format int64 in spec.bounded',
    ),
  ]);
  expect(await textOf(`${CRDS}/tallies.example.com`)).toContain('"maximum":9223372036854776000');
});

await describeWith('kubectl', 'kubectl', (program) => {
  const kubectl = kubectlFor(program, server);

  it('applies and shows them', async () => {
    const input = `kind: Tally\napiVersion: example.com/v1\nmetadata: {name: shown}\nspec: {count: ${LEAST}}\n`;
    expect(await kubectl('apply -f -', { input })).toBe('tally.example.com/shown created\n');
    expect(await kubectl('apply -f -', { input })).toBe('tally.example.com/shown unchanged\n');
    expect(await kubectl('get tally shown --no-headers')).toMatch(
      /^shown +-9223372036854775808\n$/,
    );
    expect(await kubectl('get tally shown -o yaml')).toContain(`\nspec:\n  count: ${LEAST}\n`);
  });
});
