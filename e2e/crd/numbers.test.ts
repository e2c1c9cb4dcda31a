/** Numbers in custom resources: given back as they came, or refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile();
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TALLIES = '/apis/example.com/v1/tallies';

const properties = { n: { type: 'integer', format: 'int64' }, x: { type: 'number' } };
const definition = resourceDefinition({
  group: 'example.com',
  plural: 'tallies',
  kind: 'Tally',
  scope: 'Cluster',
  schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
});

let client: AdminClient;
beforeAll(async () => {
  client = adminClient(server());
  expect((await client.post(CRDS, definition)).status).toBe(201);
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
    headers: { 'content-type': 'application/json' },
  });
const said = async (name: string): Promise<string> => {
  // As text, since a number that was parsed here would say what it likes.
  const answer = await client.open(`${TALLIES}/${name}`);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return /"spec":(\{[^}]*\})/.exec(Buffer.concat(chunks).toString())?.[1] ?? '';
};

it.each([
  ['small', '{"n":-9007199254740991}'],
  ['nanoseconds', '{"n":1700000000000000000}'],
  ['fraction', '{"x":0.1}'],
])('%s are given back as they came', async (name, spec) => {
  expect((await post(name, spec)).status).toBe(201);
  expect(await said(name)).toBe(spec);
});

it('that would be given back with other digits are refused, whichever way they come', async () => {
  const told = 'the number 9223372036854775807 cannot be kept as it is';
  const created = await post('large', '{"n":9223372036854775807}');
  expect([created.status, textAt(created.body, 'message')]).toEqual([
    400,
    expect.stringContaining(told),
  ]);
  expect((await post('patched', '{"n":1}')).status).toBe(201);
  const patch = '{"spec":{"n":9223372036854775807}}';
  const apply = tally('patched', '{"n":9223372036854775807}');
  const patches: readonly (readonly [string, string])[] = [
    ['application/merge-patch+json', patch],
    ['application/json-patch+json', '[{"op":"add","path":"/spec/n","value":9223372036854775807}]'],
    ['application/apply-patch+yaml', apply],
    ['application/apply-patch+yaml', apply.replaceAll('":', '": ').replace('{', '\n{ ')],
  ];
  for (const [type, body] of patches) {
    const path = `${TALLIES}/patched?fieldManager=e2e&force=true`;
    const suffix = type.includes('apply') ? path : `${TALLIES}/patched`;
    const refused = await client.send('PATCH', suffix, { body, headers: { 'content-type': type } });
    expect([type, refused.status, textAt(refused.body, 'message')]).toEqual([
      type,
      400,
      expect.stringContaining(told),
    ]);
  }
  expect(await said('patched')).toBe('{"n":1}');
});
