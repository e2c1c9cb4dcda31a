import { parseJson } from '../../api/meta/json-text.ts';
import type { JsonObject } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { withResourceVersion } from '../../projections/objects/stored-object.ts';
import type { Answer } from '../answer.ts';
import { intoServed } from './candidate.ts';

/**
 * The object that would have been stored, in the version that was asked for. It has no place in
 * the log, so a new one has no resourceVersion, and a changed one that of what it would replace.
 */
export function dryRunAnswer(
  served: ServedResource,
  json: Buffer,
  code: number,
  replaced?: ResourceVersion,
): Answer {
  const bytes = replaced === undefined ? json : withResourceVersion(json, replaced);
  const stored = parseJson(bytes.toString()) as KubeObject; // Canonical, by our own codec.
  const value: JsonObject = intoServed(served, stored);
  return { kind: 'Value', code, typeId: served.facts.typeId, value, served };
}
