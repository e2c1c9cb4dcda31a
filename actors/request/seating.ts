/** What fairness lets the log say of a request. */

/** Where fairness gave a request its seats; what a turn of actors/flow-control is to the log. */
export interface Seating {
  readonly flow: {
    readonly level: { readonly spec: { readonly name: string } };
    readonly flowSchema: { readonly name: string };
  };
  readonly ticket: {
    readonly initialSeats: number;
    readonly finalSeats: number;
    readonly lingerMs: number;
    /** Milliseconds since 1970; 0: it never did. */
    readonly startedAt: number;
  };
}
