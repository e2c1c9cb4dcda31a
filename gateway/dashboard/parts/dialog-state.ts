/** Which dialog is open, and what was last said at the edge of the page. */
import { signal } from '@preact/signals';

/** What is asked before something is done that cannot be taken back, or the help. */
export type OpenDialog =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'report';
      /** What came of something that was done with several objects. */
      readonly title: string;
      /** Each that was refused, and why. */
      readonly lines: readonly { readonly name: string; readonly text: string }[];
    }
  | {
      readonly kind: 'confirm';
      /** A question. */
      readonly title: string;
      /** What will happen. */
      readonly text: string;
      /** What is on the button: `Delete`. */
      readonly action: string;
      /** A text that is asked for, and what stands there first. */
      readonly input?: { readonly label: string; readonly value: string };
      /** Done when the user agrees; its error is shown in the dialog. */
      readonly act: (input: string) => Promise<void>;
      /** What opens after it. */
      readonly next?: () => OpenDialog | undefined;
    };

/** undefined: none. */
export const dialog = signal<OpenDialog | undefined>(undefined);

/** Shown for some seconds, and read out; '' for nothing. */
export const said = signal('');
