/** sample-apiserver as a process beside a server, to which it leaves authentication and authorization. */
import { type RunningCommand, startCommand } from '../support/command.ts';
import { freePorts } from '../support/free-port.ts';
import type { AggregationTrust } from './given-aggregation.ts';

/** The group that it serves, in {@link SAMPLE_VERSION}. */
export const SAMPLE_GROUP = 'wardle.example.com';
export const SAMPLE_VERSION = 'v1alpha1';

/** One that can be started again and again, at the same port. */
export interface SampleServer {
  readonly port: number;
  start(): RunningCommand;
}

/** @param program the binary. @param trust gives it its certificate, that of a service `sample`. */
export async function sampleServer(
  program: string,
  trust: AggregationTrust,
  { kubeconfig }: { readonly kubeconfig: string },
): Promise<SampleServer> {
  const { file } = await trust.serving('sample');
  const [port = 0] = await freePorts(1);
  return {
    port,
    start: () =>
      startCommand(program, [
        trust.folder,
        ...['--bind-address=127.0.0.1', `--secure-port=${String(port)}`],
        ...[`--tls-cert-file=${file}.crt`, `--tls-private-key-file=${file}.key`],
        ...[`--kubeconfig=${kubeconfig}`, `--authentication-kubeconfig=${kubeconfig}`],
        `--authorization-kubeconfig=${kubeconfig}`,
      ]),
  };
}
