import { INSTRUCTIONS_LIMIT_BYTES } from '@fovea/core/agent';
import { type FileAccess, resolvePath } from '@fovea/core/attachments';
import { readFileBeginning } from './read-file-beginning.ts';

/**
 * The beginning of the workspace's `AGENTS.md`; `undefined` when there is none. Only a regular file
 * that the session may read: a link out of the workspace would show the model what its tools may not.
 */
export async function readInstructions(access: FileAccess): Promise<string | undefined> {
  const resolved = await resolvePath('AGENTS.md', access);
  if (!resolved.ok) return undefined;
  try {
    // One character more than is shown, so that the cut is noticed and said.
    const bytes = await readFileBeginning(resolved.value.realPath, INSTRUCTIONS_LIMIT_BYTES + 4);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
