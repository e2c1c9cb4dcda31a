/** Formats that nobody checks. In Kubernetes: getUnrecognizedFormatsInCRD. */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { goQuote } from '../../../json/go-format.ts';
import { isCheckedFormat } from '../../../structural-schema/formats.ts';
import { specOf } from '../../rules/value-validation.ts';
import { hoistSpec, schemasIn } from './hoisted-spec.ts';
import { someSchema } from './schema-parts.ts';

/** @param old what it was before, which is not warned of again. */
export function formatWarnings(definition: KubeObject, old?: KubeObject): readonly string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  return unknownFormats(definition)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(definition: KubeObject): string[] {
  const unknown: string[] = [];
  const collect = (schema: JsonObject): boolean => {
    const format = stringAt(schema, 'format');
    if (format !== '' && !isFormatOf(stringAt(schema, 'type'), format)) unknown.push(format);
    return false;
  };
  for (const schema of schemasIn(hoistSpec(specOf(definition)))) someSchema(schema, collect);
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
