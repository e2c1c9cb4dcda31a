/** Formats that nobody checks. In Kubernetes: getUnrecognizedFormatsInCRD. */
import type { CustomResourceDefinition } from '../../../generated/kinds/apiextensions-v1.ts';
import { stringAt, type JsonObject } from '../../../json/json.ts';
import { goQuote } from '../../../json/go-format.ts';
import { isCheckedFormat } from '../../../structural-schema/formats.ts';
import { hoistSpec, schemasIn } from './hoisted-spec.ts';
import { someSchema } from './schema-parts.ts';

/** @param old what it was before, which is not warned of again. */
export function formatWarnings(
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): readonly string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  return unknownFormats(definition)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(definition: CustomResourceDefinition): string[] {
  const unknown: string[] = [];
  const collect = (schema: JsonObject): boolean => {
    const format = stringAt(schema, 'format');
    if (format !== '' && !isFormatOf(stringAt(schema, 'type'), format)) unknown.push(format);
    return false;
  };
  for (const schema of schemasIn(hoistSpec(definition.spec))) someSchema(schema, collect);
  return unknown;
}

function isFormatOf(type: string, format: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return isCheckedFormat(format);
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}
