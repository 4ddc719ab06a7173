import type { Static, TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Locale } from '../base/locale.ts';
import { isRecord } from '../base/parse-json.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { type ToolWords, toolTexts } from './texts.ts';

/** The arguments of one tool: checked with the same schema that the model is shown. */
export interface ToolArguments<Schema extends TObject> {
  /** The schema with the meaning of each parameter in the model's language. */
  describe(words: ToolWords): Readonly<Record<string, unknown>>;
  /** The arguments, or words for the model that say what is wrong and what is expected. */
  parse(toolArguments: unknown, tool: string, locale: Locale): Result<Static<Schema>, string>;
}

/**
 * Compiles the schema of a tool's arguments. Optional arguments may be `null`: several models
 * write the ones they leave out so. Unknown names are refused, because an argument that is
 * silently dropped would make the answer something else than was asked for.
 */
export function defineArguments<Schema extends TObject>(schema: Schema): ToolArguments<Schema> {
  const validator = Compile(schema);
  return {
    describe: (words) => ({
      // As plain JSON: a definition is stored with its session.
      type: 'object',
      required: [...(schema.required ?? [])],
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [
          name,
          { ...property, description: words.parameters[name] ?? '' },
        ]),
      ),
    }),
    parse: (toolArguments, tool, locale) => {
      const given = withoutNulls(toolArguments);
      if (validator.Check(given)) return ok(given);
      const problems = validator
        .Errors(given)
        .filter((error) => error.keyword !== 'boolean')
        .map((error) => nameProblem(error));
      return fail(toolTexts[locale].invalidArguments(tool, problems, describeExpected(schema)));
    },
  };
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
}

interface SchemaProblem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

function nameProblem(problem: SchemaProblem): string {
  const where = problem.instancePath.replace(/^\//, '');
  const names = Object.values(problem.params).flat();
  if (problem.keyword === 'additionalProperties') return `unknown argument ${names.join(', ')}`;
  return where === '' ? problem.message : `${where} ${problem.message}`;
}

/** Of an object its members: `{x, y}`. */
function describeType(property: TSchema): string {
  if ('properties' in property && isRecord(property.properties)) {
    return `{${Object.keys(property.properties).join(', ')}}`;
  }
  return 'type' in property ? String(property.type) : 'value';
}

/** `path (string), offset (integer >= 1, optional)`. */
function describeExpected(schema: TObject): string {
  const required: readonly string[] = schema.required ?? [];
  const properties: Readonly<Record<string, TSchema>> = schema.properties;
  return Object.entries(properties)
    .map(([name, property]) => {
      const minimum = 'minimum' in property ? ` >= ${String(property.minimum)}` : '';
      const type = describeType(property);
      return `${name} (${type}${minimum}${required.includes(name) ? '' : ', optional'})`;
    })
    .join(', ');
}
