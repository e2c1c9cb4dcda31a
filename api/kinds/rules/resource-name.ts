/** What of a request says which resource it is for. */
export interface ResourceName {
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** The plural. */
  readonly resource: string;
}
