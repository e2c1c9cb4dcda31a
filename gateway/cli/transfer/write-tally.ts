/** Writes objects one after the other, and counts what became of them. */
import type { LoggedEvent } from '../../../streams/event.ts';
import { RefusedError, type ObjectWriter, type WriteOutcome } from './object-writer.ts';

const OUTCOMES: readonly WriteOutcome[] = [
  'created',
  'replaced',
  'recreated',
  'deleted',
  'unchanged',
];

export class WriteTally {
  readonly #writer: ObjectWriter;
  readonly #refused: (problem: string) => void;
  readonly #counts = new Map<WriteOutcome, number>();
  #errors = 0;

  /** @param refused told what the cluster did not take. */
  constructor(writer: ObjectWriter, refused: (problem: string) => void) {
    this.#writer = writer;
    this.#refused = refused;
  }

  get errors(): number {
    return this.#errors;
  }

  /** How many were tried. */
  get count(): number {
    let all = this.#errors;
    for (const count of this.#counts.values()) all += count;
    return all;
  }

  /** @returns whether it was taken. @throws ClusterUnreachableError */
  async write(event: LoggedEvent): Promise<boolean> {
    try {
      const outcome = await this.#writer.write(event);
      this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
      return true;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#errors += 1;
      this.#refused(`version ${String(event.resourceVersion)}: ${error.message}`);
      return false;
    }
  }

  text(output: 'table' | 'json'): string {
    const counts = OUTCOMES.map((outcome) => [outcome, this.#counts.get(outcome) ?? 0] as const);
    if (output === 'json') {
      return `${JSON.stringify({ ...Object.fromEntries(counts), errors: this.#errors })}\n`;
    }
    const said = counts
      .filter(([, count]) => count > 0)
      .map(([outcome, count]) => `${String(count)} ${outcome}`);
    said.push(`${String(this.#errors)} errors`);
    return `${said.join(', ')}\n`;
  }
}
