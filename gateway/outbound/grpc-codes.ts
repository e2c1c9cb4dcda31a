/** What Go calls the codes of gRPC; these names stand in messages and figures. */
const NAMES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound'],
  ...['AlreadyExists', 'PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted'],
  ...['OutOfRange', 'Unimplemented', 'Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
];

/** `DeadlineExceeded` for 4; `Code(99)` where there is no name. */
export function grpcCodeName(code: number): string {
  return NAMES[code] ?? `Code(${String(code)})`;
}
