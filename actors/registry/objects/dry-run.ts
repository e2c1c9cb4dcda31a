/**
 * How the client is shown what was written, where that is the object itself, and what a dry run would
 * have written.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { withResourceVersion } from '../../../projections/objects/served-bytes.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { ValueAnswer } from '../../request/answer.ts';
import { intoServed } from './candidate.ts';
import type { Stage } from '../stage.ts';
import { type HasShowing, noted, type Received, type Showing } from '../write.ts';

/**
 * The object that would have been stored, in the version that was asked for. It has no place in
 * the log, so a new one has the resourceVersion that its client gave it, which usually is none, and a
 * changed one that of what it would replace.
 */
export function dryRunAnswer(
  served: ServedResource,
  json: Buffer,
  code: number,
  version: ResourceVersion | string | undefined,
): ValueAnswer & { readonly value: KubeObject } {
  const bytes = version === undefined ? json : withResourceVersion(json, version);
  return new DryRunAnswer(served, bytes, code);
}

/** Most clients ask for the bytes as they are, so the object is read when something else is asked for. */
class DryRunAnswer implements ValueAnswer {
  readonly kind = 'Value';
  readonly code: number;
  readonly typeId: string;
  readonly json: Buffer;
  readonly served: ServedResource;
  #value: KubeObject | undefined;

  constructor(served: ServedResource, json: Buffer, code: number) {
    this.code = code;
    this.typeId = served.facts.typeId;
    this.json = json;
    this.served = served;
  }

  get value(): KubeObject {
    if (this.#value === undefined) {
      const { storage: resource } = this.served.definition;
      const stored = parsedObject({ resource, path: '', json: this.json });
      this.#value = intoServed(this.served, stored);
    }
    return this.#value;
  }
}

/** A write that answers with the object itself. */
export const OBJECTS: Showing = {
  stored: (served, code, object) => ({ kind: 'Object', code, served, object }),
  dryRun: (served, code, { json, version }) => dryRunAnswer(served, json, code, version),
};

/** The stage of all paths whose answer is the object that was written. */
export const showObjects: Stage<Received, Received & HasShowing> = {
  name: 'show objects',
  run: (write) => noted(write, { showing: OBJECTS }),
};
