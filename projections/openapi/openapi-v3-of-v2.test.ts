/** A document of v2 as one of v3, as far as clients read it. */
import { describe, expect, it } from 'vitest';
import { WorkInSlices } from '../../api/json/work-in-slices.ts';
import { openApiV3Of } from './openapi-v3-of-v2.ts';

const GVK = [{ group: 'g', version: 'v1', kind: 'Thing' }];
const NAME = { name: 'name', in: 'path', required: true, type: 'string', uniqueItems: true };

function document() {
  const thing = { $ref: '#/definitions/Thing' };
  const answers = { 200: { description: 'OK', schema: thing }, 401: { $ref: '#/responses/No' } };
  return {
    swagger: '2.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/apis/g/v1/things/{name}': {
        get: { operationId: 'read', produces: ['application/json'], responses: answers },
        put: {
          'x-kubernetes-action': 'put',
          consumes: ['application/json', 'application/yaml'],
          parameters: [
            { name: 'body', in: 'body', required: true, schema: thing },
            { $ref: '#/parameters/pretty' },
          ],
          responses: answers,
        },
        parameters: [NAME],
      },
      '/apis/g/v1': { get: {} },
      '/apis/g/v1beta1/things': { get: {} },
    },
    definitions: {
      Thing: {
        description: 'A thing.',
        type: 'object',
        properties: {
          next: { $ref: '#/definitions/Thing', description: 'Another.' },
          all: { type: 'array', items: { $ref: '#/definitions/Thing' } },
          $ref: { type: 'string' },
        },
        'x-kubernetes-group-version-kind': GVK,
      },
    },
    parameters: { pretty: { name: 'pretty', in: 'query', type: 'string' } },
    responses: { No: { description: 'Unauthorized' } },
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
  };
}

describe('a document of v2', () => {
  it('is one of v3 of one group version', () => {
    const schema = { $ref: '#/components/schemas/Thing' };
    const json = { 'application/json': { schema } };
    const responses = {
      200: { description: 'OK', content: json },
      401: { $ref: '#/components/responses/No' },
    };
    expect(openApiV3Of(document(), '/apis/g/v1')).toEqual({
      openapi: '3.0.0',
      info: { title: 'Things', version: '1' },
      paths: {
        '/apis/g/v1/things/{name}': {
          get: { operationId: 'read', responses },
          put: {
            'x-kubernetes-action': 'put',
            parameters: [{ $ref: '#/components/parameters/pretty' }],
            requestBody: {
              content: { ...json, 'application/yaml': { schema } },
              required: true,
            },
            // It says nothing of what it produces.
            responses: { ...responses, 200: { description: 'OK', content: { '*/*': { schema } } } },
          },
          parameters: [
            {
              name: 'name',
              in: 'path',
              required: true,
              schema: { type: 'string', uniqueItems: true },
            },
          ],
        },
        '/apis/g/v1': { get: { responses: {} } },
      },
      components: {
        schemas: {
          Thing: {
            description: 'A thing.',
            type: 'object',
            properties: {
              next: { allOf: [schema], description: 'Another.' },
              all: { type: 'array', items: schema },
              $ref: { type: 'string' },
            },
            'x-kubernetes-group-version-kind': GVK,
          },
        },
        parameters: { pretty: { name: 'pretty', in: 'query', schema: { type: 'string' } } },
        responses: { No: { description: 'Unauthorized' } },
        securitySchemes: {
          BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' },
        },
      },
    });
  });

  it('may hold nothing that belongs into one', () => {
    const odd = { paths: { '/apis/g/v1/x': { get: 7, put: { parameters: [1], responses: [] } } } };
    expect(openApiV3Of(odd, '/apis/g/v1')).toMatchObject({
      paths: { '/apis/g/v1/x': { put: { responses: {} } } },
      components: {},
    });
    expect(openApiV3Of({}, '/apis/g/v1')).toMatchObject({ paths: {} });
  });
});

it('comes to the same wherever it pauses', () => {
  const once = openApiV3Of(document(), '/apis/g/v1');
  const work = new WorkInSlices(() => openApiV3Of(v2, '/apis/g/v1'), 1);
  const v2 = document();
  let slices = 1;
  for (let slice = work.goOn(); ; slice = work.goOn(), slices += 1) {
    if (!slice.isDone) continue;
    expect(slice.value).toEqual(once);
    break;
  }
  expect(slices).toBeGreaterThan(20);
});
