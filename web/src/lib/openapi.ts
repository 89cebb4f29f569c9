// An OpenAPI document, as far as ours goes, and how to walk it.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
  description?: string;
  $ref?: string;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  'x-role'?: string;
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: Schema;
  }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

export interface OpenApi {
  info: { title: string; version: string; summary?: string; description?: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Route extends Operation {
  path: string;
  method: string;
}

export function routesByTag({ paths, tags }: OpenApi): [string, Route[]][] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
  return tags.map(({ name }) => [name, all.filter((route) => route.tags.includes(name))]);
}

export const refName = (ref: string): string => ref.split('/').at(-1) ?? ref;

/** The name of a schema that this one is, or is a list of. */
export function namedIn(schema: Schema): string | undefined {
  if (schema.$ref) return refName(schema.$ref);
  return schema.items ? namedIn(schema.items) : undefined;
}

/** In a few words: "array of string", "number, from 0 to 0.5". */
export function typeText(schema: Schema): string {
  const named = namedIn(schema);
  if (schema.$ref) return named ?? '';
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return parts.map(typeText).join(schema.allOf ? ' and ' : ' or ');
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(', ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  if (schema.items) return `array of ${typeText(schema.items)}`;
  if (typeof schema.additionalProperties === 'object')
    return `object by name of ${typeText(schema.additionalProperties)}`;
  return type + boundsText(schema);
}

function boundsText(schema: Schema): string {
  const low = schema.minimum ?? schema.exclusiveMinimum;
  const words = [
    low !== undefined && `${schema.exclusiveMinimum === undefined ? 'from' : 'above'} ${low}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
  ].filter(Boolean);
  return words.length > 0 ? `, ${words.join(' ')}` : '';
}

/** The fields of an object, or of the objects in a list, that are said here and not elsewhere. */
export function fieldsOf(schema: Schema): [string, Schema, boolean][] {
  const required = new Set(schema.required);
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, field]): [string, Schema, boolean] => [name, field, required.has(name)],
  );
  const parts = (schema.allOf ?? schema.oneOf ?? schema.anyOf ?? []).filter((part) => !part.$ref);
  const inner = schema.items && !schema.items.$ref ? fieldsOf(schema.items) : [];
  const byName =
    typeof schema.additionalProperties === 'object' ? fieldsOf(schema.additionalProperties) : [];
  return [...own, ...parts.flatMap(fieldsOf), ...inner, ...byName];
}
