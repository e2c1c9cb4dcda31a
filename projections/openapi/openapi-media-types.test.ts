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
    ['application/*, application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
    ['application/xml, */*;q=0.1', 'json'],
    ['application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'json'],
    ['text/html', undefined],
    ['application/yaml', undefined],
  ])('for %s is %s', (accept, form) => {
    expect(chooseOpenApiV2Form(accept)).toBe(form);
  });
});

test.each([
  ['application/json, */*', 'json'],
  ['application/com.github.proto-openapi.spec.v3@v1.0+protobuf', 'protobuf'],
  ['application/com.github.proto-openapi.spec.v3.v1.0+protobuf', 'protobuf'],
  ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', undefined],
])('the form of a v3 document for %s is %s', (accept, form) => {
  expect(chooseOpenApiV3Form(accept)).toBe(form);
});
