import type { Schema } from '../../contract/json-schema.ts'

export type { Schema }

interface MediaTypes {
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: MediaTypes & { readonly required: boolean }
  readonly responses: Readonly<Record<string, MediaTypes & { readonly $ref?: string; readonly description?: string }>>
  readonly 'x-panel': {
    readonly callers: Readonly<Record<string, boolean | string>>
    readonly token_areas: Readonly<Record<'admin' | 'account', string | readonly string[]>>
    readonly feature?: string
    readonly job?: string
    readonly emits: readonly string[]
    readonly problems: readonly string[]
  }
}

/** What the page reads of the OpenAPI description. */
export interface Description {
  readonly info: { readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly summary: string } }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly examples: Readonly<Record<string, { readonly value: { readonly status: number; readonly title: string } }>>
  }
}

export interface DocumentOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export const entriesOf = ({ paths }: Description): DocumentOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** The last segment of a reference: the name of its target. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

export const schemaOf = (holder: MediaTypes | undefined): Schema | undefined =>
  Object.values(holder?.content ?? {})[0]?.schema
