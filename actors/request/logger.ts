/**
 * Where the server writes what operators should know. The lines are klog's; gateway/logs has the logger
 * that writes them.
 */

/** Names and values of a line, in the order in which they are shown. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  /** Shown from this verbosity on, as klog.V(verbosity) does. Ask {@link isVerbose} where fields are dear. */
  verbose(verbosity: number, fields: LogFields, message: string): void;
  /** Always shown, like warnings and errors, unless --log-level says otherwise. */
  info(fields: LogFields, message: string): void;
  /** Something is odd and the server goes on as configured. */
  warn(fields: LogFields, message: string): void;
  /** Something failed that should not. */
  error(fields: LogFields, message: string): void;
  /** Whether lines of this verbosity are shown. */
  isVerbose(verbosity: number): boolean;
}
