import { createEditFileTool } from './edit-file.ts';
import { createFindFilesTool } from './find-files.ts';
import { createListDirectoryTool } from './list-directory.ts';
import { createReadFileTool } from './read-file.ts';
import { createRunCommandTool } from './run-command.ts';
import { createSearchTextTool } from './search-text.ts';
import type { Tool } from './tool.ts';
import { createViewImageTool } from './view-image.ts';
import { createWriteFileTool } from './write-file.ts';

/** Every built-in tool, in the order in which models are shown them. The order never changes within a session. */
export function builtInTools(): readonly Tool[] {
  return [
    createReadFileTool(),
    createViewImageTool(),
    createListDirectoryTool(),
    createFindFilesTool(),
    createSearchTextTool(),
    createWriteFileTool(),
    createEditFileTool(),
    createRunCommandTool(),
  ];
}

/** The tool with this name, if there is one. */
export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}
