/** `everwatch shred`: has a running server destroy the keys of objects that are gone. */
import { StartupError } from '../../process/startup-error.ts';
import { namedObject } from '../tool/resource-kinds.ts';
import type { Tool } from '../tool/run-tool.ts';

/** The flags of the command. */
export interface ShredOptions {
  readonly namespace?: string;
}

export async function shred(
  { opened, kinds, output }: Tool,
  words: readonly string[],
  { namespace }: ShredOptions,
): Promise<number> {
  const { server } = opened;
  if (server === undefined) {
    throw new StartupError('only a running server shreds: start it, and use --kubeconfig');
  }
  const named = await namedObject(kinds, words, namespace ?? opened.namespace);
  const count = await server.shred(named.storage, named.path);
  const what = count === 1 ? '1 object' : `${String(count)} objects`;
  await output.write(
    count === 0
      ? `${named.shown}: nothing of it is encrypted, or it was shredded before\n`
      : `${named.shown}: shredded ${what}\n`,
  );
  return count === 0 ? 1 : 0;
}
