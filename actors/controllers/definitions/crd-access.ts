/**
 * How the controllers read and write custom resource definitions. Each write says which version it
 * is about: a controller that is overtaken, by a client or by the same controller of another server, lets it be,
 * since the change that came first is looked at as well.
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionStatus,
} from '../../../api/generated/kinds/apiextensions-v1.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import type { Answer } from '../../request/answer.ts';
import { definitionHead, sentMetadata } from '../../served-resources/definition-head.ts';

export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A custom resource definition as it is stored. */
export type Definition = ObjectOf<CustomResourceDefinition>;

/** `overtaken`: there is a newer one, or none any more. `failed`: it can be tried again. */
export type Written =
  | { readonly kind: 'written'; readonly object: StoredObject }
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'failed'; readonly message: string };

/** Without its schemas, and not to be changed; undefined when there is none of that name. */
export function definitionNamed(objects: ObjectReads, name: string): Definition | undefined {
  const stored = objects.get(DEFINITIONS, pathOf('', name));
  return stored === undefined ? undefined : definitionHead(stored);
}

/** With its schemas. */
export function wholeDefinition(objects: ObjectReads, name: string): Definition | undefined {
  const stored = objects.get(DEFINITIONS, pathOf('', name));
  // What is stored there is one.
  return stored === undefined ? undefined : (parsedObject(stored) as Definition);
}

/** Writes the status, and the metadata as it stands in `definition` but for its managers. */
export async function writeStatus(
  loopback: Loopback,
  definition: Definition,
  status: CustomResourceDefinitionStatus,
): Promise<Written> {
  const { kind, apiVersion, metadata } = definition;
  const path = `${PATH}/${metadata.name ?? ''}/status`;
  // The spec stays what it is, whatever is sent: so it is not sent.
  const body = { kind, apiVersion, metadata: sentMetadata(definition), status };
  return writtenOf(await loopback({ method: 'PUT', path, body }));
}

/** What an answer to a write means. */
export function writtenOf(answer: Answer): Written {
  if (answer.kind === 'Object') return { kind: 'written', object: answer.object };
  if (answer.kind !== 'Status') return { kind: 'failed', message: `answered ${answer.kind}` };
  const { code, message = '' } = answer.status;
  return code === 404 || code === 409 ? { kind: 'overtaken' } : { kind: 'failed', message };
}
