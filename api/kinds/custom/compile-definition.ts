/**
 * Reads a CustomResourceDefinition as it is stored, version by version, each when it is asked for.
 *
 * In Kubernetes: getOrCreateServingInfoFor, apiextensions-apiserver/pkg/apiserver.
 */
import { isJsonObject, listAt, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import { undivided } from '../../json/work-in-slices.ts';
import type { PrinterColumn } from '../custom-serving.ts';
import type { CompiledDefinition } from './compiled-definitions.ts';
import { converterOf, type ConverterParts } from './definition-converter.ts';
import { compileVersion, type VersionParts, type VersionSchema } from './version-schema.ts';

/** @param definition stored, and so valid. */
export function compileDefinition(
  definition: JsonObject,
  { meters, ...parts }: ConverterParts & Pick<VersionParts, 'meters'>,
): CompiledDefinition {
  const spec = objectAt(definition, 'spec');
  const versions = listAt(spec, 'versions').filter(isJsonObject);
  const compiled = new Map<string, VersionSchema>();
  const preserveUnknownFields = spec?.['preserveUnknownFields'] === true;
  return {
    converter: converterOf(spec, parts),
    schema(name) {
      const known = compiled.get(name);
      if (known !== undefined) return known;
      const version = versions.find((one) => stringAt(one, 'name') === name);
      if (version === undefined) return undefined;
      // It may be first asked for in the middle of work on a large object.
      const schema = undivided(() =>
        compileVersion({
          schema: objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'),
          columns: columnsOf(version),
          preserveUnknownFields,
          meters,
        }),
      );
      compiled.set(name, schema);
      return schema;
    },
  };
}

/** What a definition without columns of its own shows. */
const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

function columnsOf(version: JsonObject): readonly PrinterColumn[] {
  const said = listAt(version, 'additionalPrinterColumns').filter(isJsonObject);
  return said.length === 0 ? [AGE] : said.map(columnOf);
}

function columnOf(column: JsonObject): PrinterColumn {
  const jsonPath = stringAt(column, 'jsonPath');
  const generic = `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    name: stringAt(column, 'name'),
    type: stringAt(column, 'type'),
    format: stringAt(column, 'format'),
    description: stringAt(column, 'description') || generic,
    priority: Number(column['priority'] ?? 0),
    jsonPath,
  };
}
