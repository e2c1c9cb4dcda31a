/** A command for a terminal, and a button that copies it. */
import { copyText } from '../time/commands.ts';

interface CommandProps {
  /** What the command is for. */
  readonly label: string;
  readonly command: string;
}

export function CopyCommand({ label, command }: CommandProps) {
  return (
    <div class="command">
      <span class="dim">{label}</span>
      <code>{command}</code>
      <button type="button" onClick={() => void copyText(command, 'The command is copied.')}>
        Copy
      </button>
    </div>
  );
}
