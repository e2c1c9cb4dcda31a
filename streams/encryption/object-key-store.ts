/**
 * Where the keys of single objects lie, sealed by a provider. It is the one part of all that is
 * stored which can be rewritten: the log cannot, so what must be forgotten is forgotten by
 * destroying its key here.
 */

/** A key of one object. */
export interface ObjectKeyEntry {
  /** What is sealed with it names it so. */
  readonly id: string;
  /** `metadata.uid` of the object that the key is for. */
  readonly uid: string;
  /** Whose providers sealed it: `core/secrets`. */
  readonly resource: string;
  /** `<namespace>/<name>`, so that it is found when all of the object is gone. */
  readonly path: string;
  /** The key as the provider has sealed it. */
  readonly sealed: Buffer;
}

export interface ObjectKeyStore {
  /** The entry by its id; undefined where it was destroyed. */
  get(id: string): ObjectKeyEntry | undefined;
  /** The one to write with; undefined: there is none. */
  ofObject(uid: string): ObjectKeyEntry | undefined;
  /** Resolves when they would outlive a power cut. One that is there is replaced. */
  put(entries: readonly ObjectKeyEntry[]): Promise<void>;
  /** Resolves when they are gone for good. */
  destroy(ids: readonly string[]): Promise<void>;
  /** Every entry that is there, in no order. */
  all(): Iterable<ObjectKeyEntry>;
  /** Takes notice of what others have written; left out where no other server writes. */
  refresh?(): Promise<void>;
  /**
   * Has the keys that others have written looked at before a caller is given them: where that fails they
   * are not given, and those they replace go on to count. Left out where no other server writes.
   */
  whenArriving?(prepare: (entries: readonly ObjectKeyEntry[]) => Promise<void>): void;
  /** Tells of every key that was destroyed, by whomever. */
  whenGone(tell: (entry: ObjectKeyEntry) => void): void;
  /** Releases the file. Nothing may be asked afterwards. */
  close(): Promise<void>;
}
