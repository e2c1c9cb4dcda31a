/** The kinds of columns that rows have, by how their cells are found. */
import type { JsonValue } from '../../../api/json/json.ts';
import { nameOf, namespaceOf } from '../../../streams/event.ts';
import type { JsonBytesWriter } from './json-bytes-writer.ts';
import type { ObjectReading } from './object-reading.ts';

/** A column as the client is told of it. */
export interface ColumnFact {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

/** A column of rows. */
export abstract class RowColumn {
  readonly fact: ColumnFact;

  constructor(fact: ColumnFact) {
    this.fact = fact;
  }

  /** The cell of the object that is read. */
  abstract cell(reading: ObjectReading): JsonValue;

  /** Writes the cell as JSON. */
  write(reading: ObjectReading, out: JsonBytesWriter): void {
    out.value(this.cell(reading));
  }

  /** The cell where it is known without reading the object, and so without cost. */
  ofPath(_path: string): string | undefined {
    return undefined;
  }
}

/** The namespace. */
export class NamespaceColumn extends RowColumn {
  cell({ path }: ObjectReading): JsonValue {
    return namespaceOf(path);
  }

  override write({ path }: ObjectReading, out: JsonBytesWriter): void {
    out.text(path, 0, path.indexOf('/'));
  }

  override ofPath(path: string): string {
    return namespaceOf(path);
  }
}

/** The name. */
export class NameColumn extends RowColumn {
  cell({ path }: ObjectReading): JsonValue {
    return nameOf(path);
  }

  override write({ path }: ObjectReading, out: JsonBytesWriter): void {
    out.text(path, path.indexOf('/') + 1);
  }

  override ofPath(path: string): string {
    return nameOf(path);
  }
}

/** A text that mostly can be read from the bytes of the object. */
export class TextColumn extends RowColumn {
  readonly #keys: readonly Buffer[];
  readonly #otherwise: (reading: ObjectReading) => JsonValue;

  /**
   * @param keys under which it lies.
   * @param otherwise the cell where the bytes do not tell it.
   */
  constructor(
    fact: ColumnFact,
    keys: readonly Buffer[],
    otherwise: (reading: ObjectReading) => JsonValue,
  ) {
    super(fact);
    this.#keys = keys;
    this.#otherwise = otherwise;
  }

  cell(reading: ObjectReading): JsonValue {
    return reading.textUnder(this.#keys) ?? this.#otherwise(reading);
  }

  override write(reading: ObjectReading, out: JsonBytesWriter): void {
    if (!reading.writeTextUnder(this.#keys, out)) out.value(this.cell(reading));
  }
}

/** A cell that is made of the object. */
export class MadeColumn extends RowColumn {
  readonly #cell: (reading: ObjectReading) => JsonValue;

  constructor(fact: ColumnFact, cell: (reading: ObjectReading) => JsonValue) {
    super(fact);
    this.#cell = cell;
  }

  cell(reading: ObjectReading): JsonValue {
    return this.#cell(reading);
  }
}

/** A printed cell that may tell how long ago something was. */
export class AgingColumn extends RowColumn {
  readonly #index: number;

  /** @param index among the printed cells. */
  constructor(fact: ColumnFact, index: number) {
    super(fact);
    this.#index = index;
  }

  cell(reading: ObjectReading): JsonValue {
    return reading.printed()[this.#index] ?? null;
  }

  /** Whether it does, so that it is another one some time later. */
  ages(reading: ObjectReading): boolean {
    const cell = this.cell(reading);
    // A duration has its unit behind it, so a pod that was never restarted need not be printed twice.
    const mayAge = typeof cell === 'string' && /[a-z]/.test(cell);
    return mayAge && (reading.printedLater()[this.#index] ?? null) !== cell;
  }
}
