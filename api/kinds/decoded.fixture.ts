/** Objects of declared kinds as decoding gives them to the rules, of as much as a test says of them. */
import type { ResourceTypes } from '../generated/kinds/kinds.ts';
import type { JsonObject } from '../json/json.ts';
import type { ObjectOf } from '../meta/object-meta.ts';
import { allResourceFacts } from '../scheme/resource-facts.ts';
import { typedCodec } from '../scheme/typed-json.ts';

/**
 * @param path the kind by group and version, as in a URL: `policy/v1/poddisruptionbudgets`.
 * @throws Error where kube-apiserver would not decode the value either.
 */
export function decodedAs<Path extends keyof ResourceTypes>(
  path: Path,
  value: JsonObject,
): ObjectOf<ResourceTypes[Path]> {
  const facts = allResourceFacts().find(
    ({ group, version, resource }) => [group, version, resource].filter(Boolean).join('/') === path,
  );
  if (facts === undefined) throw new Error(`there are no facts of ${path}`);
  const { kind, group, version, typeId } = facts;
  const decoded = typedCodec(typeId).decode(structuredClone(value));
  if (!decoded.ok) throw new Error(decoded.message);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { ...decoded.value, kind, apiVersion } as unknown as ObjectOf<ResourceTypes[Path]>; // Its type.
}
