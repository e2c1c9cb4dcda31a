/**
 * metadata.managedFields as it is read and written: one entry for each manager, operation, version
 * (of updates) and subresource.
 *
 * In Kubernetes: DecodeManagedFields and EncodeObjectManagedFields,
 * apimachinery/pkg/util/managedfields/internal.
 */
import { asJson, readFieldsV1, sortFields } from '../merge/fields-v1.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { sortedItems } from '../json/long-values.ts';
import type { ManagedFieldsEntry } from '../generated/kinds/meta-v1.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { forEachEntry, remembered, someItem } from '../json/work-in-slices.ts';
import { compareGoStrings, goJson, goQuote } from '../json/go-format.ts';

export type Operation = 'Apply' | 'Update';

/** The manager that an entry is about. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: Operation;
  /** Of an update; '' for an apply, whose manager is the same in every version. */
  readonly apiVersion: string;
  readonly subresource: string;
}

/** All by the identifier of the manager. */
export interface Managed {
  readonly names: ReadonlyMap<string, ManagerName>;
  readonly owners: ReadonlyMap<string, OwnedFields>;
  /** RFC 3339; none for an entry without one. */
  readonly times: ReadonlyMap<string, string>;
  /** As they were read, to be written as they are where nothing changed. */
  readonly read: ReadonlyMap<string, ManagedFieldsEntry>;
}

export const NOTHING_MANAGED: Managed = {
  names: new Map(),
  owners: new Map(),
  times: new Map(),
  read: new Map(),
};

/** The same manager always has the same, and they sort as upstream's. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const who = manager === '' ? '' : `"manager":${quoted(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${quoted(apiVersion)}`;
  const where = subresource === '' ? '' : `,"subresource":${quoted(subresource)}`;
  return `{${who}"operation":"${operation}"${version}${where}}`;
}

const PLAIN = /^[\w./:@ -]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : goJson(text);
}

/** The message, when an entry is not as it must be. */
export type DecodedEntries =
  | { readonly ok: true; readonly managed: Managed }
  | { readonly ok: false; readonly message: string };

/**
 * Decodes `metadata.managedFields`; a value that is no list counts as none. A mistake in an entry
 * is told in kube-apiserver's words.
 */
export function decodeEntries(list: JsonValue | undefined): DecodedEntries {
  if (!Array.isArray(list) || list.length === 0) return { ok: true, managed: NOTHING_MANAGED };
  const reading = remembered((): Reading => {
    return { names: new Map(), owners: new Map(), times: new Map(), read: new Map(), message: '' };
  });
  someItem(list, (item, index) => {
    // The decoder of metadata has read its fields, in custom resources too.
    const entry: ManagedFieldsEntry = isJsonObject(item) ? item : {};
    const message = readEntry(reading, entry, index);
    reading.message = message ?? '';
    return message !== undefined;
  });
  const { message, ...managed } = reading;
  return message === '' ? { ok: true, managed } : { ok: false, message };
}

interface Reading {
  readonly names: Map<string, ManagerName>;
  readonly owners: Map<string, OwnedFields>;
  readonly times: Map<string, string>;
  readonly read: Map<string, ManagedFieldsEntry>;
  /** What is wrong; '' as long as nothing is. */
  message: string;
}

/** @returns what is wrong with it. */
function readEntry(
  { names, owners, times, read }: Reading,
  entry: ManagedFieldsEntry,
  index: number,
): string | undefined {
  const operation = operationOf(entry);
  if (operation === undefined) return NO_OPERATION;
  const mistake = mistakeIn(entry, index);
  if (mistake !== undefined) return mistake;
  const set = readFieldsV1(entry.fieldsV1);
  if (set === undefined) return 'error decoding set: invalid fields';
  const name = nameOf(entry, operation);
  const id = managerId(name);
  names.set(id, name);
  const { apiVersion = '', time = '' } = entry;
  owners.set(id, { set, apiVersion, applied: operation === 'Apply' });
  read.set(id, entry);
  if (time === null || time === '') times.delete(id);
  else times.set(id, time);
  return undefined;
}

const NO_OPERATION = 'operation must be `Apply` or `Update`';

function operationOf({ operation }: ManagedFieldsEntry): Operation | undefined {
  return operation === 'Apply' || operation === 'Update' ? operation : undefined;
}

function nameOf(entry: ManagedFieldsEntry, operation: Operation): ManagerName {
  const { manager = '', apiVersion = '', subresource = '' } = entry;
  return { manager, operation, apiVersion: operation === 'Apply' ? '' : apiVersion, subresource };
}

function mistakeIn(entry: ManagedFieldsEntry, index: number): string | undefined {
  const { apiVersion = '', fieldsType = '' } = entry;
  if (apiVersion === '') return 'apiVersion must not be empty';
  if (fieldsType === 'FieldsV1') return undefined;
  const where = `in managed fields entry ${String(index)}`;
  return fieldsType === ''
    ? `missing fieldsType ${where}`
    : `invalid fieldsType ${goQuote(fieldsType)} ${where}`;
}

/** The client wants everything forgotten: an empty list, or one empty entry. */
export function isReset(list: JsonValue | undefined): boolean {
  if (!Array.isArray(list)) return false;
  const [first] = list;
  if (first === undefined) return true;
  return list.length === 1 && isJsonObject(first) && Object.values(first).every(isZero);
}

function isZero(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * undefined: there are no managers.
 *
 * @param typed the fields have an order of their own; where there is no type, the whole object is
 *     sorted as text afterwards.
 */
export function encodeEntries(
  { names, owners, times, read }: Managed,
  typed: boolean,
): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const entries = remembered((): ManagedFieldsEntry[] => []);
  forEachEntry(owners, (id, owned) => {
    const before = read.get(id);
    const time = times.get(id);
    const fields = typed ? sortFields(owned.set) : owned.set;
    const isAsRead =
      before !== undefined &&
      before.fieldsV1 === asJson(fields) &&
      (before.time ?? '') === (time ?? '') &&
      before.apiVersion === owned.apiVersion;
    const name = names.get(id);
    if (isAsRead) entries.push(before);
    else if (name !== undefined) entries.push(entryOf(name, { ...owned, set: fields }, time));
  });
  return entries.length < 2 ? entries : sortedItems(entries, compareEntries);
}

export function entryOf(
  name: ManagerName,
  owned: OwnedFields,
  time: string | undefined,
): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (name.manager !== '') entry.manager = name.manager;
  entry.operation = owned.applied ? 'Apply' : name.operation;
  entry.apiVersion = owned.apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = asJson(owned.set);
  if (name.subresource !== '') entry.subresource = name.subresource;
  return entry;
}

/** Applies first, then by time. */
export function compareEntries(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return (
    compareGoStrings(left.operation ?? '', right.operation ?? '') ||
    compareTimes(left.time ?? '', right.time ?? '') ||
    compareGoStrings(left.manager ?? '', right.manager ?? '') ||
    compareGoStrings(left.apiVersion ?? '', right.apiVersion ?? '') ||
    compareGoStrings(left.subresource ?? '', right.subresource ?? '')
  );
}

/** Of RFC 3339 by whole seconds; '' is 1970. */
export function compareTimes(left: string, right: string): number {
  return left === right ? 0 : secondsOf(left) - secondsOf(right);
}

function secondsOf(time: string): number {
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}
