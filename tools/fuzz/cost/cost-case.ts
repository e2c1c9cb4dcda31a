/**
 * An input of the server that can be made in any size, and the code of the server that reads it.
 * The law of costs: twice the bytes cost about twice the work, whatever the input looks like.
 */

/** Whether a client has to be known before the server reads such an input. */
export type CostStage = 'before authentication' | 'after authentication';

export interface CostCase {
  /** `FAMILY: what grows, and of what`; says enough to make the input again. */
  readonly name: string;
  /** Which part of a request is measured. */
  readonly stage: CostStage;
  /**
   * Makes the input, which is not measured.
   * @param bytes what it should have, about.
   */
  make(bytes: number): CostInput;
}

export interface CostInput {
  /** What the input has in fact. */
  readonly bytes: number;
  /** Makes it what it was before the run before, where a reader changes it; not measured. */
  prepare?(): void;
  /** Reads the input as the server does; may be called again and again. */
  run(): unknown;
}

/** The largest request that is read before authentication: Node's limit for headers is below. */
export const HEADER_BYTES = 48 * 1024;
/** The largest body, as kube-apiserver has it. */
export const BODY_BYTES = 3 * 1024 * 1024;

/** A case whose input is a text. */
export function textCase(
  name: string,
  stage: CostStage,
  textOf: (bytes: number) => string,
  read: (text: string) => unknown,
): CostCase {
  return {
    name,
    stage,
    make(bytes) {
      const text = flat(textOf(bytes));
      return { bytes: Buffer.byteLength(text), run: () => read(text) };
    },
  };
}

/** A text as the wire gives it, in one piece: one that was put together is flattened by its first reader. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
