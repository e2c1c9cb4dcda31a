import { describe, expect, test } from 'vitest';
import { chooseOpenApiV2Form, chooseOpenApiV3Form } from './openapi-media-types.ts';

describe('the form of the v2 document', () => {
  test.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['application/json', 'json'],
    ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
    ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf', 'protobuf'],
    [
      'application/json;q=0.5, application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      'protobuf',
    ],
    ['*/*, application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
    ['application/xml, */*;q=0.1', 'json'],
    ['application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'json'],
    ['text/html', undefined],
    ['application/yaml', undefined],
  ])('for %s is %s', (accept, form) => {
    expect(chooseOpenApiV2Form(accept)).toBe(form);
  });
});

test('v3 documents are JSON or nothing', () => {
  expect(chooseOpenApiV3Form('application/json, */*')).toBe('json');
  const protobuf = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
  expect(chooseOpenApiV3Form(protobuf)).toBeUndefined();
});
