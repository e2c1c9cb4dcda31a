/**
 * An object as a client saw it, reduced to what the model knows of objects, and a digest of all
 * the rest: so that a history of a million answers fits on a disk and any difference still shows.
 */
import { createHash } from 'node:crypto';

import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';

export type TextMap = Readonly<Record<string, string>>;

export interface SeenObject {
  /** `<namespace>/<name>`. */
  readonly path: string;
  readonly version: number;
  readonly uid: string;
  readonly data: TextMap;
  readonly labels: TextMap;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  /** Of the whole object without its version, kind and apiVersion. */
  readonly digest: string;
}

/** The kinds of the traffic, and where they lie. */
export type ResourceName = 'configmaps' | 'secrets';

interface Kind {
  readonly kind: string;
  readonly storage: string;
  readonly written: (text: string) => string;
  readonly read: (text: string) => string;
}

export const KINDS: Readonly<Record<ResourceName, Kind>> = {
  configmaps: { kind: 'ConfigMap', storage: 'core/configmaps', written: padded, read: unpadded },
  secrets: {
    kind: 'Secret',
    storage: 'core/secrets',
    written: (text) => Buffer.from(padded(text)).toString('base64'),
    read: (text) => unpadded(Buffer.from(text, 'base64').toString()),
  },
};

/** `padded:5000` stands for so many letters, in histories and in the model. */
const PADDED = /^padded:(\d+)$/;
const LETTER = 'x';

function padded(text: string): string {
  const length = PADDED.exec(text)?.[1];
  return length === undefined ? text : LETTER.repeat(Number(length));
}

function unpadded(text: string): string {
  const isPadding = text.length > 0 && text === LETTER.repeat(text.length);
  return isPadding ? `padded:${String(text.length)}` : text;
}

export const RESOURCES = Object.keys(KINDS) as readonly ResourceName[]; // Its keys are these.

export function resourceOfStorage(storage: string): ResourceName | undefined {
  return RESOURCES.find((resource) => KINDS[resource].storage === storage);
}

/** `version` where the object itself does not say one, as in the log. */
export function seenObject(
  resource: ResourceName,
  object: JsonObject,
  version = Number(textAt(object, 'metadata', 'resourceVersion')),
): SeenObject {
  const { read } = KINDS[resource];
  const { metadata, kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  // Every object of this API has metadata.
  const { resourceVersion: _version, ...meta } = metadata as JsonObject;
  const data = Object.entries(textMap(object['data'])).map(([key, text]) => [key, read(text)]);
  return {
    path: `${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`,
    version,
    uid: textAt(object, 'metadata', 'uid'),
    data: Object.fromEntries(data) as TextMap, // Of texts, made in the line above.
    labels: textMap(at(object, 'metadata', 'labels')),
    finalizers: listAt(object, 'metadata', 'finalizers').map(String),
    isDeleting: at(object, 'metadata', 'deletionTimestamp') !== undefined,
    digest: digestOf({ ...rest, metadata: meta }),
  };
}

/** The same for the same value, whatever the order of its keys. */
export function digestOf(value: JsonValue): string {
  return createHash('sha1')
    .update(JSON.stringify(ordered(value)))
    .digest('base64')
    .slice(0, 16);
}

/** Equal for equal maps. */
export function textOfMap(map: TextMap): string {
  return JSON.stringify(ordered(map));
}

function ordered(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => ordered(one) ?? null);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, ordered(one)]));
}

function textMap(value: JsonValue | undefined): TextMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.keys(value).map((key) => [key, textAt(value, key)]));
}
