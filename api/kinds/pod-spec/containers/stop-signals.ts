/** Signals that a container may be told to end with, sorted as messages list them. */

export const WINDOWS_STOP_SIGNALS: readonly string[] = ['SIGKILL', 'SIGTERM'];

const NAMED =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT ' +
  'STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX';

export const STOP_SIGNALS: readonly string[] = [
  ...NAMED.split(' ').map((name) => `SIG${name}`),
  ...Array.from({ length: 15 }, (_, index) => `SIGRTMIN+${String(index + 1)}`),
  ...Array.from({ length: 14 }, (_, index) => `SIGRTMAX-${String(index + 1)}`),
].sort();
