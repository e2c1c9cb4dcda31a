/** Texts for others: the address and the command of what is shown, on the clipboard. */
import { said } from '../parts/dialog-state.ts';
import { pageLocation } from '../state/page-location.ts';
import { forwardCommand, kubectlCommand, type ForwardedTo } from './kubectl.ts';

/** The address of what is shown. */
export async function copyAddress(): Promise<void> {
  await copyText(globalThis.location.href, 'The address is copied.');
}

/** The command that shows the same in a terminal. */
export async function copyCommand(): Promise<void> {
  const command = kubectlCommand(globalThis.location.origin, pageLocation.value);
  await copyText(command, 'The command is copied.');
}

/** Puts a text on the clipboard, or shows it where the browser has none for the page. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    said.value = done;
  } catch {
    said.value = text;
  }
}

/** The command that opens ports of a pod or a service on the machine of the user. */
export function portForwardCommand(to: ForwardedTo, ports: readonly number[]): string {
  return forwardCommand(globalThis.location.origin, to, ports);
}
