/** A tool as a model is shown it. `parameters` is a JSON schema of type `object`. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}
