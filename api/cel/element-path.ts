/**
 * Where in a schema a part of an expression is: a variable, and names of fields or `@items` behind
 * it. Paths that were made from one path share its memory, so the one that is made last is what
 * the others read: Go's slices do that, and estimates of costs depend on it. With two variables,
 * the index of a loop therefore often passes for the item.
 *
 * In Kubernetes: exprPaths of checker/cost.go of cel-go.
 */
export class ElementPath {
  readonly #memory: string[];
  readonly length: number;
  readonly #capacity: number;

  private constructor(memory: string[], length: number, capacity: number) {
    this.#memory = memory;
    this.length = length;
    this.#capacity = capacity;
  }

  static readonly none = new ElementPath([], 0, 0);

  static of(variable: string): ElementPath {
    return new ElementPath([variable], 1, 1);
  }

  /** One step further, in the same memory when there is room left. */
  append(step: string): ElementPath {
    const hasSpace = this.length < this.#capacity;
    const memory = hasSpace ? this.#memory : this.#memory.slice(0, this.length);
    memory[this.length] = step;
    const capacity = hasSpace ? this.#capacity : Math.max(1, this.#capacity * 2);
    return new ElementPath(memory, this.length + 1, capacity);
  }

  /** As it is now. */
  get steps(): readonly string[] {
    return this.#memory.slice(0, this.length);
  }
}
