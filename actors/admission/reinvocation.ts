/**
 * Whether the mutating plug-ins are asked a second time: a webhook that changed the object behind
 * another that wants to see such changes asks for it, once.
 *
 * In Kubernetes: ReinvocationContext, apiserver/pkg/admission.
 */
export class Reinvocation {
  #isAsked = false;
  #isSecond = false;
  /** Most writes meet no plug-in that keeps any. */
  #notes: Map<string, unknown> | undefined = undefined;

  /** Whether this is the second time. */
  get isSecond(): boolean {
    return this.#isSecond;
  }

  ask(): void {
    this.#isAsked = true;
  }

  /** Begins the second time, where it was asked for and has not been. */
  begin(): boolean {
    if (!this.#isAsked || this.#isSecond) return false;
    this.#isSecond = true;
    return true;
  }

  /** What a plug-in keeps from the first time for the second, under its own name. */
  noteOf<Note>(plugin: string, make: () => Note): Note {
    const notes = (this.#notes ??= new Map());
    if (!notes.has(plugin)) notes.set(plugin, make());
    return notes.get(plugin) as Note; // Only its plug-in puts it there.
  }
}
