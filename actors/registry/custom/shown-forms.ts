/**
 * Stored objects as a version of their custom resource has shown them, for the next reader. They are kept while their
 * stored objects live, and up to a limit of bytes, as objects that no request asks for live as long as the server.
 *
 * The surprise: a form is let go of whenever another one is kept, so code that waits between two looks holds the form
 * itself.
 */
import type { CustomServing } from '../../../api/kinds/custom-serving.ts';
import { type Kept, NOWHERE, RecentlyUsed } from '../../../projections/objects/recently-used.ts';
import type { StoredObject } from '../../../streams/event.ts';

/** Some 30,000 objects of 2 KB. */
const BYTES_MAX = 64 * 1024 * 1024;

/** By stored object; the object itself where nothing was to be done, which takes no bytes. */
type Forms = WeakMap<StoredObject, Form | StoredObject>;

class Form implements Kept {
  place = NOWHERE;
  readonly shown: StoredObject;
  readonly #forms: Forms;
  /** An object that is not the present one any more is free to go before its form is. */
  readonly #stored: WeakRef<StoredObject>;
  #isUsed = false;

  constructor(forms: Forms, stored: StoredObject, shown: StoredObject) {
    this.#forms = forms;
    this.#stored = new WeakRef(stored);
    this.shown = shown;
  }

  get sizeBytes(): number {
    return this.shown.json.length;
  }

  use(): StoredObject {
    this.#isUsed = true;
    return this.shown;
  }

  wasUsed(): boolean {
    const was = this.#isUsed;
    this.#isUsed = false;
    return was;
  }

  letGo(): void {
    const stored = this.#stored.deref();
    if (stored !== undefined) this.#forms.delete(stored);
  }
}

export class ShownForms {
  readonly #kept: RecentlyUsed<Form>;
  readonly #forms = new WeakMap<CustomServing, Forms>();

  constructor(bytesMax = BYTES_MAX) {
    this.#kept = new RecentlyUsed(bytesMax);
  }

  /** About how much memory they take. */
  get bytes(): number {
    return this.#kept.bytes;
  }

  /** How this version shows the object; undefined: that is not known, or not any more. */
  of(custom: CustomServing, stored: StoredObject): StoredObject | undefined {
    const known = this.#forms.get(custom)?.get(stored);
    return known instanceof Form ? known.use() : known;
  }

  keep(custom: CustomServing, stored: StoredObject, shown: StoredObject): void {
    let forms = this.#forms.get(custom);
    if (forms === undefined) {
      forms = new WeakMap();
      this.#forms.set(custom, forms);
    }
    const before = forms.get(stored);
    if (before instanceof Form) this.#kept.forget(before);
    if (shown === stored) {
      forms.set(stored, stored);
      return;
    }
    const form = new Form(forms, stored, shown);
    forms.set(stored, form);
    this.#kept.keep(form);
  }
}

/** Those of this process. */
export const SHOWN_FORMS = new ShownForms();
