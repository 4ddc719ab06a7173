import { createReadFileTool } from '../tools/read-file.ts';
import type { Tool } from '../tools/tool.ts';
import { createViewImageTool } from '../tools/view-image.ts';

/** `read_file` and `view_image`, for tests of floors that know no tools. */
export function createPictureTools(): readonly Tool[] {
  return [createReadFileTool(), createViewImageTool()];
}
