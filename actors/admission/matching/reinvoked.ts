/**
 * Which webhooks or policies are asked a second time: those that wish it, and behind which another one
 * changed the object. None is asked for the first time then.
 *
 * In Kubernetes: webhookReinvokeContext, apiserver/pkg/admission/plugin/webhook/mutating.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { copyJson, isEqualJson } from '../../../api/json/json-tree.ts';

export class Reinvoked {
  #lastOutput: KubeObject | undefined;
  #invoked = new Set<string>();
  readonly #wanted = new Set<string>();

  /** @param uid of one that wants to see what others change behind it. */
  wasAsked(uid: string): void {
    this.#invoked.add(uid);
  }

  /** The object has changed: those that were asked before want to see it again. */
  objectChanged(): void {
    for (const uid of this.#invoked) this.#wanted.add(uid);
    this.#invoked = new Set();
  }

  isWanted(uid: string): boolean {
    return this.#wanted.has(uid);
  }

  /** The object as all of them left it. */
  leave(object: KubeObject | undefined): void {
    this.#lastOutput = object === undefined ? undefined : (copyJson(object) as KubeObject);
  }

  isChangedSince(object: KubeObject | undefined): boolean {
    return !isEqualJson(this.#lastOutput, object);
  }
}
