/** A request that was made to cost the server, and with it all clients, more than its size. */
export interface Attack {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => string;
  /** Without credentials. */
  readonly isAnonymous?: boolean;
}

/** A write that an attack needs to have been made before. */
export type Preparation = readonly [method: string, path: string, body: unknown];
