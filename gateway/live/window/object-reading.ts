/**
 * How cells are read of an object: as far as they ask for, and each form of it once. It is one value for all rows of a
 * window, which moves from object to object, as most of ten thousand are read for one text.
 */
import type { JsonValue } from '../../../api/json/json.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { writtenKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { shownAlready, shownAtOnce } from '../../../actors/registry/custom/shown-objects.ts';
import { findText, type TextPlace } from '../../../projections/objects/json-bytes.ts';
import { objectForCells } from '../../../projections/objects/object-for-cells.ts';
import { asBuffer } from '../../../projections/objects/served-bytes.ts';
import { parsedObject, plainBytesOf } from '../../../projections/objects/stored-object.ts';
import { printerOf, type TablePrinter } from '../../../projections/table/table.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import type { JsonBytesWriter } from './json-bytes-writer.ts';

/** Every duration is told otherwise so much later. */
const LONG_MS = 20 * 365 * 24 * 3_600_000;

/** What was made of the object. */
interface Forms {
  stored?: KubeObject;
  served?: KubeObject;
  whole?: KubeObject;
  printed?: readonly JsonValue[];
  printedLater?: readonly JsonValue[];
}

export class ObjectReading {
  readonly #served: ServedResource;
  readonly #printer: TablePrinter;
  readonly #place: TextPlace = { start: 0, end: 0, isPlain: false };
  #object: StoredObject;
  #now = 0;
  #bytes: Uint8Array | undefined;
  /** undefined: its bytes alone were looked at. */
  #forms: Forms | undefined;

  constructor(served: ServedResource) {
    this.#served = served;
    this.#printer = printerOf(served.facts);
    this.#object = NO_OBJECT;
  }

  /** Reads another one from now on. @param now what ages are told from, in milliseconds since 1970. */
  begin(object: StoredObject, now: number): void {
    this.#object = object;
    this.#now = now;
    this.#bytes = undefined;
    this.#forms = undefined;
  }

  /** Where the object lies. */
  get path(): string {
    return this.#object.path;
  }

  /** The text under these keys; undefined: the object has to be read for that. */
  textUnder(keys: readonly Buffer[]): string | undefined {
    if (!this.#finds(keys)) return undefined;
    const { start, end } = this.#place;
    return asBuffer(this.#ownBytes()).toString('utf8', start, end);
  }

  /** The same, as JSON. @returns false: the object has to be read for that, or the text made. */
  writeTextUnder(keys: readonly Buffer[], out: JsonBytesWriter): boolean {
    if (!this.#finds(keys)) return false;
    const { start, end, isPlain } = this.#place;
    // With its quotes.
    if (isPlain) out.copy(this.#ownBytes(), start - 1, end + 1);
    return isPlain;
  }

  /** In the version that is served, without what printers do not read. */
  served(): KubeObject {
    return (this.#made().served ??= this.#servedBy(objectForCells));
  }

  /** The same with all that it has. */
  whole(): KubeObject {
    return (this.#made().whole ??= this.#servedBy(parsedObject));
  }

  /** Cells by the printer. */
  printed(): readonly JsonValue[] {
    return (this.#made().printed ??= this.#cells(this.#now));
  }

  /** The same, long after. */
  printedLater(): readonly JsonValue[] {
    return (this.#made().printedLater ??= this.#cells(this.#now + LONG_MS));
  }

  /** Where it is found is {@link #place}. */
  #finds(keys: readonly Buffer[]): boolean {
    // Not of a custom resource that would have to be converted.
    if (shownAlready(this.#served, this.#object) !== this.#object) return false;
    return findText(this.#ownBytes(), keys, this.#place);
  }

  #cells(now: number): readonly JsonValue[] {
    return this.#printer.cells(writtenKubeObject(this.#stored()), now);
  }

  #made(): Forms {
    return (this.#forms ??= {});
  }

  #ownBytes(): Uint8Array {
    return (this.#bytes ??= plainBytesOf(this.#object));
  }

  #stored(): KubeObject {
    const bytes = asBuffer(this.#ownBytes());
    return (this.#made().stored ??= objectForCells(this.#object, bytes));
  }

  #servedBy(read: (object: StoredObject) => KubeObject): KubeObject {
    const { custom, conversion } = this.#served;
    if (custom !== undefined) return read(shownObject(this.#served, this.#object));
    const value = read === objectForCells ? this.#stored() : read(this.#object);
    return conversion?.fromStorage(value) ?? value;
  }
}

/** Until the first one is read. */
const NO_OBJECT: StoredObject = {
  resource: '',
  path: '/',
  resourceVersion: resourceVersion(0),
  labels: undefined,
  json: Buffer.alloc(0),
};

function shownObject(served: ServedResource, object: StoredObject): StoredObject {
  const shown = shownAtOnce(served, object);
  if (shown === undefined) throw new Error('an object was not converted beforehand');
  return 'message' in shown ? object : shown;
}
