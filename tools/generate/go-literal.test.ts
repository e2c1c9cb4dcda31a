import { expect, it } from 'vitest';
import { parseGoLiteral } from './go-literal.ts';

it('reads structs and maps as objects and slices as arrays', () => {
  const source = `return common.OpenAPIDefinition{
    Schema: spec.Schema{ // a comment
      SchemaProps: spec.SchemaProps{
        Default: map[string]interface{}{},
        Enum: []interface{}{"a", "b\\n"},
        Properties: map[string]spec.Schema{"x": {Allows: true, Of: nil, Size: -1.5}},
        Ref: ref(corev1.Volume{}.OpenAPIModelName()),
        Raw: \`a "b"\`,
        Items: &spec.SchemaOrArray{Schema: &spec.Schema{}},
      },
    },
  }
  not part of it {`;
  expect(parseGoLiteral(source, source.indexOf('common'))).toEqual({
    Schema: {
      SchemaProps: {
        Default: {},
        Enum: ['a', 'b\n'],
        Properties: { x: { Allows: true, Of: null, Size: -1.5 } },
        Ref: 'ref(corev1.Volume{}.OpenAPIModelName())',
        Raw: 'a "b"',
        Items: { Schema: {} },
      },
    },
  });
});

it('says where it stops understanding', () => {
  expect(() => parseGoLiteral('x.Y{A: "b"', 0)).toThrow();
});
