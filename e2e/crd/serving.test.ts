/**
 * Custom resources as kubectl sees them, from the moment on at which their definition is established.
 */
import { beforeAll, expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { at, listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const NAME = 'crontabs.stable.example.com';
const AGE = expect.stringMatching(/^\d+[smh]/) as string;

const definition = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: {
      plural: 'crontabs',
      singular: 'crontab',
      kind: 'CronTab',
      shortNames: ['ct'],
      categories: ['all'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A tab of crons.',
            properties: {
              spec: {
                type: 'object',
                description: 'What is wanted.',
                required: ['cronSpec'],
                properties: {
                  cronSpec: { type: 'string', description: 'When it happens.', minLength: 3 },
                  image: { type: 'string', default: 'busybox' },
                  replicas: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
                  color: { type: 'string' },
                },
                'x-kubernetes-validations': [
                  { rule: 'self.replicas != 7', message: 'seven is not a number of replicas' },
                ],
              },
              status: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer' },
                  selector: { type: 'string' },
                  conditions: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { type: { type: 'string' }, status: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [
          { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
          {
            name: 'Ready',
            type: 'string',
            jsonPath: '.status.conditions[?(@.type=="Ready")].status',
          },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
});

const cronTab = (name: string, spec: object, apiVersion = 'stable.example.com/v1'): string =>
  JSON.stringify({ apiVersion, kind: 'CronTab', metadata: { name }, spec });

await describeWith('kubectl', 'custom resources', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  const specOf = async (name: string) =>
    at(parseJson(await kubectl(`get crontab ${name} -o json`)), 'spec');

  beforeAll(async () => {
    await kubectl('create -f -', { input: definition });
    await kubectl(`wait --for=condition=Established crd/${NAME} --timeout=240s`);
    await kubectl('create -f -', { input: cronTab('a', { cronSpec: '* * *', color: 'red' }) });
    await kubectl('create -f -', { input: cronTab('b', { cronSpec: '0 * *', replicas: 2 }) });
  });

  it('are shown in the columns of their definition', async () => {
    const rows = rowsOf(await kubectl('get ct'));
    expect(rows).toEqual([
      ['NAME', 'SPEC', 'READY', 'AGE'],
      // Nothing is ready yet, and what is empty takes no column here.
      ['a', '* * *', AGE],
      ['b', '0 * *', AGE],
    ]);
    expect(await kubectl('get ct -o wide')).toContain('REPLICAS');
    expect(await kubectl('get all')).toContain('crontab.stable.example.com/a');
  });

  it('have their defaults, and nothing that the schema does not know', async () => {
    const input = cronTab('lenient', { cronSpec: '* * *', nonsense: 1 });
    const { stderr } = await kubectl.attempt('create --validate=warn -f -', { input });
    expect(stderr).toContain('unknown field "spec.nonsense"');
    expect(await specOf('lenient')).toEqual({ cronSpec: '* * *', image: 'busybox', replicas: 1 });
    const strict = await kubectl.attempt('create -f -', { input });
    expect(strict.stderr).toContain('strict decoding error: unknown field "spec.nonsense"');
    await kubectl('delete ct lenient');
  });

  it.each([
    [{ cronSpec: '* * *', replicas: 11 }, 'should be less than or equal to 10'],
    [{ cronSpec: '* * *', replicas: 7 }, 'seven is not a number of replicas'],
    [{ replicas: 1 }, 'spec.cronSpec: Required value'],
    [{ cronSpec: 5 }, 'must be of type string'],
  ])('are refused: %j', async (spec, message) => {
    const args = 'create --validate=false -f -';
    const { code, stderr } = await kubectl.attempt(args, { input: cronTab('bad', spec) });
    expect(code).toBe(1);
    expect(stderr).toContain('The CronTab "bad" is invalid');
    expect(stderr).toContain(message);
  });

  it('are explained', async () => {
    const said = await kubectl('explain crontab.spec');
    expect(said).toContain('What is wanted.');
    expect(said).toMatch(/cronSpec\s+<string> -required-/);
    expect(said).toContain('When it happens.');
    expect(await kubectl('explain ct.metadata.name')).toContain('<string>');
  });

  it('can be scaled', async () => {
    await kubectl('scale ct/b --replicas=5');
    expect(await specOf('b')).toMatchObject({ replicas: 5 });
    const refused = await kubectl.attempt('scale ct/b --replicas=20');
    expect(refused.stderr).toContain('should be less than or equal to 10');
    const scale = parseJson(
      await kubectl('get --raw /apis/stable.example.com/v1/namespaces/default/crontabs/b/scale'),
    );
    expect(at(scale, 'kind')).toBe('Scale');
    expect(at(scale, 'spec')).toEqual({ replicas: 5 });
  });

  it('have a status that is written through its own door', async () => {
    const before = parseJson(await kubectl('get ct a -o json'));
    const status = { conditions: [{ type: 'Ready', status: 'True' }], replicas: 1 };
    const patch = JSON.stringify({ status, spec: { color: 'never' } });
    await kubectl.words(['patch', 'ct', 'a', '--type=merge', '-p', patch]);
    expect(at(parseJson(await kubectl('get ct a -o json')), 'status')).toBeUndefined();
    await kubectl.words([
      ...['patch', 'ct', 'a', '--type=merge', '--subresource=status'],
      ...['-p', JSON.stringify({ status, spec: { color: 'blue' } })],
    ]);
    const after = parseJson(await kubectl('get ct a -o json'));
    expect(at(after, 'status')).toEqual(status);
    expect(at(after, 'spec')).toMatchObject({ color: 'never' });
    const generation = (object: typeof before): unknown => at(at(object, 'metadata'), 'generation');
    expect(generation(after), 'a status is no new generation').toBe(Number(generation(before)) + 1);
    await kubectl('wait --for=jsonpath={.status.replicas}=1 ct/a --timeout=240s');
    expect(await kubectl('get ct a')).toContain('True');
  });

  it('are patched as JSON and merged, but not strategically', async () => {
    const json = '[{"op":"replace","path":"/spec/color","value":"green"}]';
    await kubectl.words(['patch', 'ct', 'a', '--type=json', '-p', json]);
    expect(await specOf('a')).toMatchObject({ color: 'green' });
    const path = '/apis/stable.example.com/v1/namespaces/default/crontabs/a';
    const { stderr } = await kubectl.attempt(['patch', 'ct', 'a', '--type=strategic', '-p', '{}']);
    expect(stderr).toContain('application/apply-patch+yaml');
    expect(stderr).toContain('the body of the request was in an unknown format');
    expect(parseJson(await kubectl(`get --raw ${path}`))).toMatchObject({ kind: 'CronTab' });
  });

  it('are applied', async () => {
    const input = cronTab('applied', { cronSpec: '1 * *', replicas: 3 });
    await kubectl('apply --server-side -f -', { input });
    await kubectl('scale ct/applied --replicas=4');
    const { stderr } = await kubectl.attempt('apply --server-side -f -', { input });
    expect(stderr).toContain('.spec.replicas');
    await kubectl('apply --server-side --force-conflicts -f -', { input });
    expect(await specOf('applied')).toMatchObject({ replicas: 3 });
    await kubectl('delete ct applied');
  });

  it('are selected by the fields that the definition names', async () => {
    await kubectl.words([
      ...['patch', 'ct', 'a', '--type=merge', '-p', '{"spec":{"color":"red"}}'],
    ]);
    expect(await kubectl('get ct --field-selector spec.color=red -o name')).toBe(
      'crontab.stable.example.com/a\n',
    );
    const { stderr } = await kubectl.attempt('get ct --field-selector spec.image=busybox');
    expect(stderr).toContain('field label not supported: spec.image');
  });

  it('are served in another version, with a warning where that is deprecated', async () => {
    const { stdout, stderr } = await kubectl.attempt(
      'get crontabs.v1beta1.stable.example.com a -o json',
    );
    expect(textAt(parseJson(stdout), 'apiVersion')).toBe('stable.example.com/v1beta1');
    expect(stderr).toContain(
      'Warning: stable.example.com/v1beta1 CronTab is deprecated; use stable.example.com/v1 CronTab',
    );
  });

  it('show what the schema says now, and end their watches when it changes', async () => {
    const watching = kubectl.start('get ct -w -o name');
    await eventually('the watch shows what there is', () =>
      watching.stdout().includes('crontab.stable.example.com/b') ? true : undefined,
    );
    const fields = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const patch = [{ op: 'add', path: `${fields}/extra`, value: { type: 'string', default: 'x' } }];
    await kubectl.words(['patch', 'crd', NAME, '--type=json', '-p', JSON.stringify(patch)]);
    await watching.ended;
    expect(await specOf('b')).toMatchObject({ extra: 'x' });
  });

  it('were in the past what their definition said then', async () => {
    const base = '/apis/stable.example.com/v1/namespaces/default/crontabs';
    const then = textAt(
      at(parseJson(await kubectl(`get --raw ${base}`)), 'metadata') ?? {},
      'resourceVersion',
    );
    await kubectl(`delete crd ${NAME} --timeout=240s`);
    const gone = await kubectl.attempt(`get --raw ${base}`);
    expect(gone.stderr).toContain('the server could not find the requested resource');
    const list = parseJson(await kubectl(`get --raw /at/${then}${base}`));
    expect(listAt(list, 'items').map((item) => textAt(at(item, 'metadata') ?? {}, 'name'))).toEqual(
      ['a', 'b'],
    );
    expect(await kubectl(`get --raw /at/${then}/apis/stable.example.com`)).toContain('v1beta1');
    const before = await kubectl.attempt(`get --raw /at/1${base}`);
    expect(before.stderr).toContain('the server could not find the requested resource');

    await kubectl('create -f -', { input: definition });
    await kubectl(`wait --for=condition=Established crd/${NAME} --timeout=240s`);
    expect(listAt(parseJson(await kubectl(`get --raw ${base}`)), 'items')).toEqual([]);
  });
});
