/** The name of a field's type as Go's messages show it: `[]v1.Container`, `map[string]string`. */
import { isSpecialType, type FieldType, type SpecialKind } from './field-type.ts';
import { typeFacts } from './type-facts.ts';

const SPECIAL_NAMES: Readonly<Record<SpecialKind, string>> = {
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawJson: 'v1.JSON',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  jsonSchemaPropsOrBool: 'v1.JSONSchemaPropsOrBool',
  jsonSchemaPropsOrArray: 'v1.JSONSchemaPropsOrArray',
  jsonSchemaPropsOrStringArray: 'v1.JSONSchemaPropsOrStringArray',
};

/** A pointer is shown only inside a list or a map, since Go reads through it. */
export function goTypeName(type: FieldType): string {
  if (type.goName !== undefined) return type.goName;
  if (isSpecialType(type)) return SPECIAL_NAMES[type.kind];
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'bytes':
      return '[]uint8';
    case 'list':
      return `[]${elementName(type.of)}`;
    case 'map':
      return `map[${type.keyGoName ?? type.key}]${elementName(type.of)}`;
    case 'message': {
      const { goPackage, goName } = typeFacts(type.id);
      return `${goPackage.slice(goPackage.lastIndexOf('/') + 1)}.${goName}`;
    }
  }
}

function elementName(type: FieldType): string {
  return `${type.pointer === true ? '*' : ''}${goTypeName(type)}`;
}
