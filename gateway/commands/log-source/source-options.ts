/** Where a tool reads from, said the same way for every tool. */
import type { Command } from 'commander';
import { StartupError } from '../../process/startup-error.ts';

export interface SourceOptions {
  /** A file; undefined: where kubectl looks. */
  readonly kubeconfig?: string;
  /** Of the kubeconfig; undefined: its current one. */
  readonly context?: string;
  /** A data directory that no server uses; undefined: a server is asked. */
  readonly dataDir?: string;
  /** `kafka://…` or an archive; undefined: the data directory or a server. */
  readonly log?: string;
  /** The configuration file of a server, which says where its log is. */
  readonly config?: string;
  /** The name of a fork; undefined: the main control plane. */
  readonly fork?: string;
}

/** What the options mean together. */
export type SourcePlace =
  | {
      readonly kind: 'server';
      readonly kubeconfig: string | undefined;
      readonly context: string | undefined;
      readonly fork: string;
    }
  | { readonly kind: 'directory'; readonly path: string }
  | {
      readonly kind: 'kafka';
      readonly url: string;
      /** The configuration file of a server, which says how its brokers are reached. */
      readonly config: string | undefined;
    };

/** Adds the options. What they are is read with {@link sourcePlace}. */
export function withSourceOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <FILE>',
      'read from the server of this kubeconfig (default: $KUBECONFIG, or ~/.kube/config)',
    )
    .option('--context <NAME>', 'the context in the kubeconfig')
    .option('--data-dir <DIR>', 'read from the data directory of a server that is not running')
    .option('--log <URL>', 'read from a topic: kafka://host:9092,host:9092/topic')
    .option('--config <FILE>', "with --log: a server's configuration file, for the keys kafka…")
    .option('--fork <NAME>', 'of this fork, on a running server');
}

/** @throws StartupError when they do not go together. */
export function sourcePlace(options: SourceOptions): SourcePlace {
  const { kubeconfig, context, dataDir, log, config, fork } = options;
  const given = Object.entries({ kubeconfig, 'data-dir': dataDir, log }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    const names = given.map(([name]) => `--${name}`).join(' and ');
    throw new StartupError(`${names} each name a place to read from: give one of them`);
  }
  if (config !== undefined && log === undefined) {
    throw new StartupError('--config goes with --log kafka://HOST:PORT/TOPIC');
  }
  if (dataDir === undefined && log === undefined) {
    return { kind: 'server', kubeconfig, context, fork: fork ?? '' };
  }
  if (fork !== undefined) {
    throw new StartupError('--fork is for running servers: give --kubeconfig FILE');
  }
  if (context !== undefined) throw new StartupError('--context is for running servers');
  if (dataDir !== undefined) return { kind: 'directory', path: dataDir };
  return { kind: 'kafka', url: log ?? '', config };
}
