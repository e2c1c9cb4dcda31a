/** The versions of custom resources that are served, with their schemas, read when they are asked for. */
import { isJsonObject, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { CustomKind } from '../../projections/openapi/custom-kind.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { CustomDefinitions, ReadDefinition } from './custom-definitions.ts';

/** What a definition serves, as OpenAPI documents and expressions tell of it. */
export function customKindsOf(
  custom: CustomDefinitions,
  definition: ReadDefinition,
  moment?: ResourceVersion,
): CustomKind[] {
  const { summary } = definition;
  const { group, names, namespaced, preservesUnknownFields } = summary;
  return summary.versions
    .filter(({ isServed }) => isServed)
    .map(({ name, hasStatus, scale, selectableFields }) => ({
      group,
      version: name,
      plural: names.plural,
      kind: names.kind,
      listKind: names.listKind,
      namespaced,
      hasStatus,
      hasScale: scale !== undefined,
      selectableFields: selectableFields.map((path) => path.replace(/^\./, '')),
      preserveUnknownFields: preservesUnknownFields,
      key: [summary.uid, summary.generation, JSON.stringify(names)].join(' '),
      schema: () => schemaIn(custom, definition, { version: name, moment }),
    }));
}

/** Read when it is asked for: what is remembered of a definition is not its schemas. */
function schemaIn(
  custom: CustomDefinitions,
  definition: ReadDefinition,
  { version, moment }: { readonly version: string; readonly moment: ResourceVersion | undefined },
) {
  const stored = custom.stored(definition, moment);
  if (stored === undefined) return undefined;
  const versions = listAt(objectAt(parsedObject(stored), 'spec'), 'versions').filter(isJsonObject);
  const said = versions.find((one) => stringAt(one, 'name') === version);
  return objectAt(objectAt(said, 'schema'), 'openAPIV3Schema');
}
